// One chart for each kind of number of some runs, in the report and on the board.
//   runs: [{name, number, curves: {series: [{tag, x, t, y}], epochs_per_step}}]
"use strict";

const Panels = (() => {
  const titles = {
    "train/loss": "training loss", "val/loss": "evaluation loss", "lr": "learning rate",
    "throughput/images_per_s": "throughput, images a second", "time/data": "wait for data a step, seconds",
    "memory/rss_gb": "memory, GB",
  };
  const order = ["train/loss", "val/loss", "val/", "metrics/", "lr", "throughput/", "memory/", "time/"];

  function titleOf(tag) {
    const words = tag.replace(/top(\d)/, "top-$1").replace("_", " ");
    return titles[tag] || words.replace(/^val\//, "evaluation ").replace(/^train\//, "training ");
  }
  function rank(tag) {
    const at = order.findIndex((o) => tag.startsWith(o));
    return at < 0 ? order.length : at;
  }

  // The axis of x: step, epoch or time.
  function along(curves, series, axis) {
    if (axis === "epoch") return series.x.map((step) => step * curves.epochs_per_step);
    if (axis === "time") return series.t;
    return series.x;
  }

  // [{tag, title, series}] in the order of their places. The two losses of a single run share a chart.
  function panelsOf(runs, axis) {
    const byTag = new Map();
    for (const run of runs) {
      for (const series of run.curves.series) {
        if (!series.y.some((y) => y !== null)) continue;
        const single = runs.length === 1;
        const average = series.tag.endsWith(" (average)");
        const base = average ? series.tag.slice(0, -10) : series.tag;
        const tag = single && base === "val/loss" ? "train/loss" : base;
        if (!byTag.has(tag)) byTag.set(tag, []);
        const extra = average ? " (average)" : "";
        byTag.get(tag).push({
          name: single ? titleOf(base) + extra : run.name + extra,
          number: single ? byTag.get(tag).length : run.number + (average ? 7 : 0),
          x: along(run.curves, series, axis), y: series.y});
      }
    }
    return [...byTag].sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1)).map(([tag, series]) => ({
      tag, series, title: runs.length === 1 && tag === "train/loss" ? "loss" : titleOf(tag)}));
  }

  // Draws into `box`, keeping the charts that are there. options: {axis, smooth, log}.
  class Board {
    constructor(box) {
      this.box = box;
      this.plots = new Map();
    }
    draw(runs, options) {
      const panels = panelsOf(runs, options.axis);
      for (const [tag, plot] of this.plots) {
        if (panels.some((p) => p.tag === tag)) continue;
        plot.box.remove();
        this.plots.delete(tag);
      }
      panels.forEach((panel, place) => {
        let plot = this.plots.get(panel.tag);
        if (!plot) {
          plot = new Chart.Plot(document.createElement("section"));
          this.plots.set(panel.tag, plot);
        }
        if (this.box.children[place] !== plot.box) {
          this.box.insertBefore(plot.box, this.box.children[place] || null);
        }
        const isLoss = panel.tag.endsWith("loss");
        plot.update({
          title: panel.title, series: panel.series, xTitle: options.axis, xTime: options.axis === "time",
          log: options.log && isLoss,
          smooth: panel.tag.startsWith("train/") || panel.tag.startsWith("throughput/") ? options.smooth : 0});
      });
    }
  }

  return {Board, titleOf};
})();
