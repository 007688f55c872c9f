// The table of runs: sorted, filtered, with a box for each run that is drawn. Rows that stay are
// changed in place, so focus and scrolling are kept.
"use strict";

const RunTable = (() => {
  const {element, shown, shownTime} = Chart;
  const rowsAtATime = 300;

  function ago(time) {
    if (!time) return "";
    const seconds = Date.now() / 1000 - time;
    if (seconds < 100) return Math.max(0, Math.round(seconds)) + " s ago";
    if (seconds < 5400) return Math.round(seconds / 60) + " min ago";
    if (seconds < 129600) return Math.round(seconds / 3600) + " h ago";
    return Math.round(seconds / 86400) + " days ago";
  }

  function score(run) {
    return run.best ? run.best.metric + " " + run.best.shown : "";
  }
  function timeOf(run) {
    if (run.status === "running" && run.eta_s !== null) return "left " + shownTime(run.eta_s);
    return run.seconds !== null ? shownTime(run.seconds) : "";
  }
  function progressOf(run) {
    if (!run.total_steps) return "";
    return "step " + run.step.toLocaleString("en-US") + " of " + run.total_steps.toLocaleString("en-US");
  }

  // Of each column: its title, the text, and what it is sorted by.
  const columns = [
    {key: "name", title: "name", order: (r) => r.name},
    {key: "status", title: "status", order: (r) => r.status},
    {key: "model", title: "model", text: (r) => r.model || "", order: (r) => r.model},
    {key: "dataset", title: "data", text: (r) => r.dataset || "", order: (r) => r.dataset},
    {key: "progress", title: "progress", order: (r) => r.total_steps ? r.step / r.total_steps : null},
    {key: "loss", title: "loss", number: true, text: (r) => r.loss === null ? "" : shown(r.loss), order: (r) => r.loss},
    {key: "best", title: "best", number: true, text: score, order: (r) => r.best && r.best.value},
    {key: "speed", title: "images/s", number: true, text: (r) => r.images_per_s === null ? "" : shown(r.images_per_s),
     order: (r) => r.images_per_s},
    {key: "time", title: "time", number: true, text: timeOf, order: (r) => r.eta_s !== null ? r.eta_s : r.seconds},
    {key: "changed", title: "changed", number: true, text: (r) => ago(r.changed), order: (r) => r.changed},
  ];

  class Table {
    // `on`: {choose(id, is), open(id)}; `numbers`: id -> number of its colour.
    constructor(box, on, numbers) {
      this.on = on;
      this.numbers = numbers;
      this.rows = new Map();
      this.sort = {key: "changed", down: true};
      this.filter = "";
      this.most = rowsAtATime;
      this.table = element("table", {id: "runs", class: "wide"});
      this.table.append(element("caption", {class: "chart-tell"}, "Runs; the buttons in the head sort"));
      this.body = element("tbody");
      this.table.append(this.head(), this.body);
      box.append(this.table);
    }

    head() {
      const row = element("tr");
      row.append(element("th", {scope: "col"}, "draw"));
      this.heads = columns.map((column) => {
        const cell = element("th", {scope: "col", class: column.number ? "number" : ""});
        const button = element("button", {type: "button"}, column.title);
        button.addEventListener("click", () => this.sortBy(column.key));
        cell.append(button);
        row.append(cell);
        return cell;
      });
      const head = element("thead");
      head.append(row);
      return head;
    }

    sortBy(key, down) {
      const natural = !["name", "status", "model", "dataset"].includes(key);
      this.sort = {key, down: down !== undefined ? down : this.sort.key === key ? !this.sort.down : natural};
      this.draw(this.runs);
    }

    shownRuns() {
      const words = this.filter.toLowerCase().split(/\s+/).filter(Boolean);
      const column = columns.find((c) => c.key === this.sort.key);
      const sign = this.sort.down ? -1 : 1;
      const empty = (v) => v === null || v === undefined;
      return [...this.runs.values()].filter((run) => {
        const text = [run.name, run.model, run.dataset, run.status].join(" ").toLowerCase();
        return words.every((word) => text.includes(word));
      }).map((run) => [column.order(run), run]).sort(([a, ra], [b, rb]) => {
        if (empty(a) || empty(b)) return (empty(a) ? 1 : 0) - (empty(b) ? 1 : 0);
        return (a < b ? -1 : a > b ? 1 : ra.name < rb.name ? -sign : sign) * sign;
      }).map(([, run]) => run);
    }

    draw(runs) {
      this.runs = runs;
      columns.forEach((column, i) => {
        if (column.key === this.sort.key) {
          this.heads[i].setAttribute("aria-sort", this.sort.down ? "descending" : "ascending");
        } else {
          this.heads[i].removeAttribute("aria-sort");
        }
      });
      const all = this.shownRuns(), kept = all.slice(0, this.most);
      this.left = all.length - kept.length;
      const ids = new Set(kept.map((run) => run.id));
      for (const [id, row] of this.rows) {
        if (ids.has(id)) continue;
        row.line.remove();
        this.rows.delete(id);
      }
      kept.forEach((run, place) => {
        let row = this.rows.get(run.id);
        if (!row) {
          row = this.make(run);
          this.rows.set(run.id, row);
        }
        this.fill(row, run);
        if (this.body.children[place] !== row.line) this.body.insertBefore(row.line, this.body.children[place] || null);
      });
      return all;
    }

    make(run) {
      const line = element("tr", {"data-id": run.id}), cells = {};
      const choose = element("td", {class: "choose"});
      const box = element("input", {type: "checkbox"});
      box.addEventListener("change", () => this.on.choose(run.id, box.checked));
      const swatch = element("i", {class: "swatch", hidden: ""});
      choose.append(box, swatch);
      line.append(choose);
      for (const column of columns) {
        const cell = element("td", {class: column.key === "name" ? "name" : column.number ? "number" : ""});
        if (column.number) cell.setAttribute("data-label", column.title);
        cells[column.key] = cell;
        line.append(cell);
      }
      const open = element("button", {type: "button", class: "open"});
      open.addEventListener("click", () => this.on.open(run.id));
      cells.name.append(open);
      const status = element("span");
      cells.status.append(status);
      const progress = element("progress", {max: "1", "aria-label": "progress"}), words = element("span");
      cells.progress.append(progress, " ", words);
      return {line, cells, box, swatch, open, status, progress, words};
    }

    fill(row, run) {
      const set = (target, text) => {
        if (target.textContent !== text) target.textContent = text;
      };
      set(row.open, run.name);
      row.box.setAttribute("aria-label", "draw " + run.name);
      set(row.status, run.status);
      row.status.className = "status " + run.status;
      const text = progressOf(run);
      row.progress.hidden = !text;
      if (text) row.progress.value = Math.min(1, run.step / run.total_steps);
      set(row.words, text);
      for (const column of columns) {
        if (!column.text) continue;
        const cell = row.cells[column.key];
        const value = column.text(run);
        if (column.key === "model" || column.key === "dataset") {
          if (!cell.firstChild) cell.append(element("span", {class: "clip"}));
          set(cell.firstChild, value);
        } else {
          set(cell, value);
        }
      }
      const number = this.numbers.get(run.id);
      row.box.checked = number !== undefined;
      row.line.classList.toggle("chosen", number !== undefined);
      row.swatch.hidden = number === undefined;
      if (number !== undefined) row.swatch.style.background = Chart.colourOf(number);
    }
  }

  return {Table, columns, rowsAtATime, ago};
})();
