// One run in detail, and the options in which runs differ.
"use strict";

const RunDetail = (() => {
  const {element, shown, shownTime, colourOf} = Chart;
  const parts = ["data wait", "forward", "backward", "exchange wait", "statistics", "update"];

  function bytes(value) {
    return value === null || value === undefined ? "–" : shown(value / 1048576) + " MiB";
  }
  function date(time) {
    return time ? new Date(time * 1000).toLocaleString() : "–";
  }

  function tableOf(heads, rows) {
    const box = element("div", {class: "scroll"}), table = element("table");
    const head = element("tr");
    for (const title of heads) head.append(element("th", {scope: "col"}, title));
    table.append(head);
    for (const row of rows) {
      const line = element("tr", {class: row.differs ? "differs" : ""});
      (row.cells || row).forEach((text, i) => line.append(
          element(i === 0 ? "th" : "td", i === 0 ? {scope: "row"} : {class: "value"}, text)));
      table.append(line);
    }
    box.append(table);
    return box;
  }

  function block(title, open, ...content) {
    const box = element("details");
    box.open = open;
    box.append(element("summary", {}, title), ...content);
    return box;
  }

  function factsOf(facts) {
    const list = element("dl", {class: "facts"});
    const add = (title, value) => {
      if (value === null || value === undefined || value === "" || value === "–") return;
      const pair = element("div");
      pair.append(element("dt", {}, title), element("dd", {}, value));
      list.append(pair);
    };
    const score = (s) => s ? s.metric + " " + s.shown + ", epoch " + shown(s.epoch) : null;
    add("status", facts.status + (facts.exit ? ", exit " + facts.exit : ""));
    add("model", facts.model);
    add("data", facts.dataset);
    add("step", facts.total_steps ? facts.step + " of " + facts.total_steps : String(facts.step));
    add("epoch", shown(facts.epoch) + (facts.epochs ? " of " + shown(facts.epochs) : ""));
    add("time left", facts.eta_s === null ? null : shownTime(facts.eta_s));
    add("took", facts.seconds === null ? null : shownTime(facts.seconds));
    add("best", score(facts.best));
    add("last", score(facts.score));
    add("training loss", shown(facts.loss));
    add("learning rate", shown(facts.lr));
    add("images a second", shown(facts.images_per_s));
    add("global batch", shown(facts.global_batch));
    add("parameters", shown(facts.parameters));
    add("peak memory", facts.peak_rss_bytes === null ? null : bytes(facts.peak_rss_bytes));
    add("weights", facts.weights);
    add("began", date(facts.began));
    add("changed", date(facts.changed));
    return list;
  }

  // A bar for each rank: how its steps divide.
  function ranksOf(ranks, facts) {
    const box = element("div");
    const names = Object.keys(ranks);
    if (!names.length) {
      const step = facts.global_batch && facts.images_per_s ? facts.global_batch / facts.images_per_s : null;
      const share = step ? Math.min(1, facts.data_wait_s / step) : null;
      box.append(element("p", {class: "soft"},
          (share === null ? "" : "Rank 0 waits for data in " + (100 * share).toFixed(1) + " % of its time. ") +
          "A run with --trace-steps shows the time of each rank here."));
      return box;
    }
    const keys = element("ul", {class: "keys"});
    [...parts, "other"].forEach((part, i) => {
      const item = element("li");
      item.append(element("i", {style: "background:" + colourOf(i)}), part);
      keys.append(item);
    });
    const rows = names.map((rank) => {
      const times = parts.map((part) => ranks[rank][part] || 0);
      const all = Math.max(ranks[rank].step || 0, times.reduce((a, b) => a + b, 0)) || 1;
      times.push(Math.max(0, all - times.reduce((a, b) => a + b, 0)));
      return {rank, times, all};
    });
    const table = tableOf(["rank", "seconds", ...parts, "other"], rows.map(({rank, times, all}) => [
      rank, shown(all), ...times.map((t) => (100 * t / all).toFixed(1) + " %")]));
    for (const {rank, times, all} of rows) {
      const bar = element("div", {class: "split", role: "img", "aria-label": "rank " + rank + ", see the table"});
      times.forEach((time, i) => bar.append(
          element("i", {style: "width:" + 100 * time / all + "%;background:" + colourOf(i)})));
      box.append(element("div", {class: "soft"}, "rank " + rank), bar);
    }
    box.append(keys, table);
    return box;
  }

  function picturesOf(id, pictures) {
    const box = element("div", {class: "pictures large"});
    for (const {name, title} of pictures) {
      const figure = element("figure");
      figure.append(element("img", {loading: "lazy", alt: title,
                                    src: "api/picture?id=" + id + "&name=" + encodeURIComponent(name)}),
                    element("figcaption", {}, title));
      box.append(figure);
    }
    return box;
  }

  function sessionsOf(sessions) {
    return tableOf(["time", "event", "step", "host", "numbers"], sessions.map((s) => [
      date(s.t), s.event, String(s.step), s.host,
      [s.text, ...Object.entries(s.numbers).map(([k, v]) => k + " " + (k.endsWith("bytes") ? bytes(v) : shown(v)))]
          .filter(Boolean).join(", ")]));
  }

  class Detail {
    constructor(section, title, box) {
      Object.assign(this, {section, title, box, id: null});
    }

    async open(id, focus) {
      this.id = id;
      const answer = await fetch("api/run?id=" + id);
      if (this.id !== id) return;
      this.section.hidden = false;
      if (!answer.ok) {
        this.title.textContent = "This run is gone";
        this.box.replaceChildren();
        this.id = null;
        return;
      }
      const run = await answer.json();
      if (this.id !== id) return;
      const isOpen = (title, otherwise) => {
        const old = [...this.box.querySelectorAll("details")].find((d) => d.firstChild.textContent === title);
        return old ? old.open : otherwise;
      };
      const add = (title, otherwise, ...content) => block(title, isOpen(title, otherwise), ...content);
      this.title.textContent = run.facts.name;
      const blocks = [factsOf(run.facts)];
      for (const problem of run.problems) blocks.push(element("p", {class: "bad"}, problem));
      this.log = this.log && this.logId === id ? this.log : element("pre", {class: "log", tabindex: "0"});
      this.logId = id;
      if (run.pictures.length) blocks.push(add("Pictures", true, picturesOf(id, run.pictures)));
      blocks.push(add("End of the log", true, this.log));
      blocks.push(add("Time of each rank", true, ranksOf(run.ranks || {}, run.facts)));
      blocks.push(add("Plan", false, tableOf(
          ["kind", "batch", "nodes", "state", "workspace", "GFLOP"], (run.plans || []).map((p) => [
            p.kind || "", shown(p.batch), shown(p.nodes), bytes(p.state_bytes), bytes(p.workspace_bytes),
            shown(p.flops / 1e9)]))));
      const options = run.options || [];
      const optionTable = (some) => tableOf(["option", "value", "from"], some.map((o) => [o.key, o.value, o.origin]));
      blocks.push(add("The command", false, element("pre", {}, run.command || "")));
      blocks.push(add("Options that were given", false, optionTable(options.filter((o) => o.origin !== "default"))));
      blocks.push(add("Options with their default values", false,
                      optionTable(options.filter((o) => o.origin === "default"))));
      blocks.push(add("Environment", false, tableOf(["", ""], Object.entries(run.environment || {}))));
      blocks.push(add("Processes that worked on it", false, sessionsOf(run.sessions || [])));
      const place = this.log.scrollTop, wasAtEnd = this.isAtEnd();
      this.box.replaceChildren(...blocks);
      this.log.scrollTop = wasAtEnd ? this.log.scrollHeight : place;
      if (focus) {
        this.title.focus({preventScroll: true});
        this.section.scrollIntoView({block: "start"});
      }
      await this.readLog(id);
    }

    isAtEnd() {
      return !this.log.textContent || this.log.scrollTop + this.log.clientHeight >= this.log.scrollHeight - 20;
    }

    async readLog(id) {
      const answer = await fetch("api/log?id=" + id);
      if (!answer.ok || this.id !== id) return;
      const text = await answer.text();
      if (text === this.log.textContent) return;
      const atEnd = this.isAtEnd();
      this.log.textContent = text;
      if (atEnd) this.log.scrollTop = this.log.scrollHeight;
    }
  }

  // A table of the options in which the runs differ. runs: [{name, options}].
  function differences(runs) {
    if (runs.length < 2) return element("p", {class: "soft"}, "Choose two runs or more.");
    const keys = [], values = new Map();
    runs.forEach((run, i) => {
      for (const option of run.options) {
        if (!values.has(option.key)) {
          values.set(option.key, runs.map(() => "–"));
          keys.push(option.key);
        }
        values.get(option.key)[i] = option.value;
      }
    });
    const differing = keys.filter((key) => new Set(values.get(key)).size > 1);
    if (!differing.length) return element("p", {}, "All chosen runs have the same options.");
    return tableOf(["option", ...runs.map((r) => r.name)],
                   differing.map((key) => ({cells: [key, ...values.get(key)], differs: true})));
  }

  return {Detail, differences};
})();
