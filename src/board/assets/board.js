// The board: keeps the rows of all runs, by server-sent events or by asking again where there is no
// place for another stream, and draws the chosen runs.
"use strict";

(() => {
  const byId = (id) => document.getElementById(id);
  const fewRuns = 40;            // above, curves have fewer points
  const fetchesAtOnce = 6;
  const mostCompared = 24;
  const runs = new Map();        // id -> row
  const numbers = new Map();     // chosen id -> number of its colour
  const curves = new Map();      // id -> its curves
  const options = new Map();     // id -> its options
  let wanted = [], fetching = 0, hasChosen = false;

  const table = new RunTable.Table(byId("table-box"), {choose, open: openRun}, numbers);
  const board = new Panels.Board(byId("charts"));
  const detail = new RunDetail.Detail(byId("detail"), byId("detail-title"), byId("detail-box"));
  const controls = byId("controls");

  // Calls `work` soon, at most once in its own time times three, so that drawing leaves room.
  function calm(work) {
    let timer = null, took = 0, last = -1e9;
    return () => {
      if (timer !== null) return;
      const wait = Math.max(30, last + Math.max(100, 3 * took) - performance.now());
      timer = setTimeout(() => requestAnimationFrame(() => {
        timer = null;
        const begin = performance.now();
        work();
        last = performance.now();
        took = last - begin;
      }), wait);
    };
  }

  function drawTable() {
    const all = table.draw(runs);
    byId("count").textContent = all.length === runs.size ? "(" + runs.size + ")" : "(" + all.length + " of " + runs.size + ")";
    byId("more").hidden = !table.left;
    const running = [...runs.values()].filter((run) => run.status === "running").length;
    document.title = running ? "Runs: " + running + " running" : "Runs";
  }

  function drawCurves() {
    const chosen = [...numbers].filter(([id]) => curves.has(id) && runs.has(id)).map(([id, number]) => ({
      name: runs.get(id).name, number, curves: curves.get(id)}));
    byId("nothing").hidden = numbers.size > 0;
    board.draw(chosen, {axis: controls.elements.axis.value, log: controls.elements.log.checked,
                        smooth: Number(controls.elements.smooth.value)});
    const missing = numbers.size - chosen.length;
    byId("loading").textContent = missing ? "reading " + missing + " more …" : "";
    document.body.dataset.drawn = chosen.length;
  }

  function drawDifferences() {
    const ids = [...numbers.keys()].slice(0, mostCompared).filter((id) => options.has(id) && runs.has(id));
    byId("compare").replaceChildren(RunDetail.differences(ids.map((id) => ({
      name: runs.get(id).name, options: options.get(id)}))));
  }

  const soonTable = calm(drawTable), soonCurves = calm(drawCurves), soonDifferences = calm(drawDifferences);

  function pump() {
    while (fetching < fetchesAtOnce && wanted.length) {
      const id = wanted.shift();
      ++fetching;
      read(id).catch(() => {}).finally(() => {
        --fetching;
        pump();
      });
    }
  }

  async function read(id) {
    if (!numbers.has(id)) return;
    const answer = await fetch("api/curves?id=" + id + "&points=" + (numbers.size > fewRuns ? 120 : 400));
    if (!answer.ok) return;
    curves.set(id, await answer.json());
    soonCurves();
    if (options.has(id) || options.size >= mostCompared) return;
    const about = await fetch("api/run?id=" + id);
    if (!about.ok) return;
    options.set(id, (await about.json()).options || []);
    soonDifferences();
  }

  function want(id) {
    if (!wanted.includes(id)) wanted.push(id);
    pump();
  }

  function choose(id, is) {
    hasChosen = true;
    if (is && !numbers.has(id)) {
      const taken = new Set(numbers.values());
      let number = 0;
      while (taken.has(number)) ++number;
      numbers.set(id, number);
      want(id);
    } else if (!is) {
      numbers.delete(id);
    }
    soonTable();
    soonCurves();
    soonDifferences();
  }

  function openRun(id) {
    detail.open(id, true);
  }

  function take(rows, gone) {
    for (const row of rows) {
      runs.set(row.id, row);
      if (numbers.has(row.id)) want(row.id);
      if (detail.id === row.id) detail.open(row.id, false);
    }
    for (const id of gone) {
      runs.delete(id);
      numbers.delete(id);
      curves.delete(id);
      options.delete(id);
      if (detail.id === id) detail.open(id, false);
    }
    if (!hasChosen && runs.size) chooseFirst();
    soonTable();
    soonCurves();
  }

  // At the beginning: what is running, else the newest.
  function chooseFirst() {
    const newest = [...runs.values()].sort((a, b) => b.changed - a.changed);
    const running = newest.filter((run) => run.status === "running").slice(0, 8);
    for (const run of running.length ? running : newest.slice(0, 1)) choose(run.id, true);
  }

  async function readAll() {
    const answer = await fetch("api/runs");
    if (!answer.ok) throw new Error(await answer.text());
    const rows = await answer.json();
    const there = new Set(rows.map((row) => row.id));
    take(rows, [...runs.keys()].filter((id) => !there.has(id)));
  }

  function state(text, kind) {
    const box = byId("state");
    if (box.textContent !== text) box.textContent = text;
    box.className = kind;
  }

  function follow() {
    const source = new EventSource("api/events");
    source.onopen = () => {
      state("live", "live");
      readAll().catch(() => state("cannot read the runs", "lost"));
    };
    source.onmessage = (event) => {
      const news = JSON.parse(event.data);
      take(news.rows, news.gone);
    };
    source.onerror = () => {
      state("not connected; trying again", "lost");
      if (source.readyState !== EventSource.CLOSED) return;
      // No place for another stream, or no permission: ask from time to time.
      readAll().then(() => state("asks every 5 seconds", "live"), (error) => state(error.message, "lost"));
      setTimeout(follow, 5000);
    };
  }

  for (const column of RunTable.columns) {
    const option = Chart.element("option", {value: column.key}, column.title);
    option.selected = column.key === table.sort.key;
    byId("sort").append(option);
  }
  byId("sort").addEventListener("change", (event) => table.sortBy(event.target.value, event.target.value === "changed"));
  byId("filter").addEventListener("input", (event) => {
    table.filter = event.target.value;
    table.most = RunTable.rowsAtATime;
    drawTable();
  });
  byId("more").addEventListener("click", () => {
    table.most += RunTable.rowsAtATime;
    drawTable();
  });
  byId("draw-shown").addEventListener("click", () => {
    for (const run of table.shownRuns()) choose(run.id, true);
  });
  byId("draw-none").addEventListener("click", () => {
    for (const id of [...numbers.keys()]) choose(id, false);
  });
  controls.addEventListener("input", soonCurves);
  for (const form of [controls, byId("filter-form")]) form.addEventListener("submit", (event) => event.preventDefault());
  setInterval(soonTable, 5000);  // the times in it
  drawDifferences();
  follow();
})();
