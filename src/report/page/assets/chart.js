// Draws curves as SVG, for the report and the board: axes with round numbers, a legend that hides
// and shows curves, values under the pointer or the arrow keys, linear and logarithmic axes,
// smoothing. All text goes through textContent, so names are never read as markup.
"use strict";

const Chart = (() => {
  const svgSpace = "http://www.w3.org/2000/svg";
  const colours = 7;
  const dashes = ["", "7 4", "2 3"];

  function filled(made, attributes, text) {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "style") made.style.cssText = value;  // as an attribute, a page's policy would forbid it
      else made.setAttribute(key, value);
    }
    if (text !== undefined) made.textContent = text;
    return made;
  }
  const element = (name, attributes, text) => filled(document.createElement(name), attributes, text);
  const svg = (name, attributes, text) =>
      filled(document.createElementNS(svgSpace, name), attributes, text);

  // Colour and dash of a curve by its number: 21 differ.
  function colourOf(number) {
    return "var(--c" + (number % colours) + ")";
  }
  function dashOf(number) {
    return dashes[Math.floor(number / colours) % dashes.length];
  }

  // Four digits: 1234, 0.01235, 1.2e-9.
  function shown(value) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(2);
    if (size >= 1000) return Math.round(value).toLocaleString("en-US");
    return String(Number(value.toPrecision(4)));
  }
  function shownTime(seconds) {
    if (seconds === null || seconds === undefined || !isFinite(seconds)) return "–";
    const whole = Math.max(0, Math.round(seconds));
    const two = (n) => String(n).padStart(2, "0");
    const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
    return (hours ? hours + ":" + two(minutes) : minutes) + ":" + two(whole % 60);
  }

  // Round numbers from low to high, about `most` of them.
  function ticks(low, high, most, log) {
    if (log) {
      const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
      if (last - first >= 1) {
        const all = [], apart = Math.max(1, Math.ceil((last - first + 1) / most));
        for (let power = first; power <= last; power += apart) all.push(Math.pow(10, power));
        return all;
      }
    }
    const rough = (high - low) / Math.max(1, most);
    const power = Math.pow(10, Math.floor(Math.log10(rough)));
    const apart = [1, 2, 5, 10].map((m) => m * power).find((a) => a >= rough) || 10 * power;
    const all = [];
    for (let i = Math.ceil(low / apart - 1e-9); i * apart <= high + apart * 1e-9; ++i) {
      all.push(Number((i * apart).toPrecision(12)));
    }
    return all;
  }

  // The exponential mean; `amount` 0 to 1. Corrected at the beginning, so it starts at the values.
  function smoothed(values, amount) {
    if (!amount) return values;
    let sum = 0, weight = 0;
    return values.map((value) => {
      if (value === null) return null;
      sum = amount * sum + (1 - amount) * value;
      weight = amount * weight + (1 - amount);
      return sum / weight;
    });
  }

  function rangeOf(lists, usable) {
    let low = Infinity, high = -Infinity;
    for (const list of lists) {
      for (const value of list) {
        if (!usable(value)) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    return low <= high ? [low, high] : null;
  }

  // The index of the point nearest to x; xs ascend.
  function nearest(xs, x) {
    let low = 0, high = xs.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (xs[middle] < x) low = middle + 1;
      else high = middle;
    }
    return low > 0 && x - xs[low - 1] < xs[low] - x ? low - 1 : low;
  }

  // One chart in `box`. `update` draws it anew:
  //   {title, xTitle, xTime, log, smooth, covers: [y…], square,
  //    series: [{name, number, x: [], y: [], faint}]}
  class Plot {
    constructor(box) {
      this.box = box;
      box.classList.add("chart");
      this.head = element("div", {class: "chart-head"});
      this.title = element("h3");
      this.head.append(this.title);
      this.place = element("div", {class: "chart-place", tabindex: "0", role: "group"});
      this.legend = element("ul", {class: "legend"});
      this.tell = element("div", {class: "chart-tell", "aria-live": "polite"});
      this.tip = element("div", {class: "tip", hidden: ""});
      this.place.append(this.tip);
      box.append(this.head, this.place, this.legend, this.tell);
      this.hidden = new Set();
      this.cursor = null;
      this.what = null;
      this.width = 0;
      this.place.addEventListener("pointermove", (event) => this.point(event));
      this.place.addEventListener("pointerdown", (event) => this.point(event));
      this.place.addEventListener("pointerleave", () => this.unpoint());
      this.place.addEventListener("keydown", (event) => this.key(event));
      this.place.addEventListener("blur", () => this.unpoint());
      if (window.ResizeObserver) {
        new ResizeObserver(() => {
          if (this.what && Math.abs(this.place.clientWidth - this.width) > 1) this.draw();
        }).observe(this.place);
      }
    }

    update(what) {
      this.what = what;
      this.draw();
    }

    visible() {
      return this.what.series.filter((s) => !this.hidden.has(s.name) && s.x.length);
    }

    draw() {
      const what = this.what;
      this.title.textContent = what.title;
      this.width = this.place.clientWidth || 480;
      const height = what.square ? Math.min(this.width, 420) : Math.max(190, Math.min(280, this.width * 0.5));
      const log = Boolean(what.log);
      const good = (value) => value !== null && isFinite(value) && (!log || value > 0);
      this.lines = this.visible().map((s) => ({
        series: s, x: s.x, raw: s.y, y: smoothed(s.y, s.faint ? 0 : what.smooth || 0)}));
      const yRange = rangeOf(this.lines.map((l) => l.y).concat([what.covers || []]), good);
      const xRange = rangeOf(this.lines.map((l) => l.x), (x) => x !== null && isFinite(x));
      if (this.drawing) this.drawing.remove();
      this.drawing = svg("svg", {width: this.width, height: height, role: "img",
                                 viewBox: "0 0 " + this.width + " " + height});
      this.place.prepend(this.drawing);
      if (!yRange || !xRange) {
        this.area = null;
        this.drawing.append(svg("text", {x: this.width / 2, y: height / 2, class: "none",
                                         "text-anchor": "middle"}, "no values yet"));
      } else {
        this.scales(xRange, yRange, height, log);
        this.axes(height, log);
        this.curves(good);
      }
      this.describe();
      this.drawLegend();
      if (this.cursor !== null) this.show(this.cursor);
    }

    scales([xLow, xHigh], [yLow, yHigh], height, log) {
      const f = log ? Math.log10 : (v) => v;
      let low = f(yLow), high = f(yHigh);
      if (high - low < 1e-12 * Math.max(1, Math.abs(high))) {
        const room = log ? 0.3 : Math.abs(high) * 0.05 || 1;
        low -= room;
        high += room;
        if (!log && yLow >= 0 && low < 0) low = 0;
      } else if (!this.what.square) {
        low -= (high - low) * 0.05;
        high += (high - low) * 0.05;
        if (!log && yLow >= 0 && low < 0) low = 0;
      }
      if (xHigh - xLow < 1e-12) {
        xLow -= 0.5;
        xHigh += 0.5;
      }
      this.yTicks = ticks(log ? Math.pow(10, low) : low, log ? Math.pow(10, high) : high,
                          Math.max(2, Math.floor(height / 48)), log);
      const widest = Math.max(...this.yTicks.map((t) => shown(t).length), 3);
      const left = widest * 7 + 14;
      this.area = {left: left, right: this.width - 12, top: 8, bottom: height - 36};
      const {right, top, bottom} = this.area;
      this.range = {xLow, xHigh};
      this.atX = (x) => left + (x - xLow) / (xHigh - xLow) * (right - left);
      this.atY = (y) => bottom - (f(y) - low) / (high - low) * (bottom - top);
    }

    axes(height) {
      const {left, right, top, bottom} = this.area;
      const grid = svg("g", {class: "grid"}), words = svg("g", {class: "ticks"});
      for (const y of this.yTicks) {
        const at = this.atY(y);
        grid.append(svg("line", {x1: left, x2: right, y1: at, y2: at}));
        words.append(svg("text", {x: left - 6, y: at + 4, "text-anchor": "end"}, shown(y)));
      }
      const {xLow, xHigh} = this.range;
      for (const x of ticks(xLow, xHigh, Math.max(2, Math.floor((right - left) / 90)), false)) {
        const at = this.atX(x);
        grid.append(svg("line", {x1: at, x2: at, y1: top, y2: bottom}));
        words.append(svg("text", {x: at, y: bottom + 16, "text-anchor": "middle"},
                         this.what.xTime ? shownTime(x) : shown(x)));
      }
      words.append(svg("text", {x: (left + right) / 2, y: height - 4, "text-anchor": "middle"},
                       this.what.xTitle || ""));
      this.drawing.append(grid, words,
                          svg("path", {class: "frame", d: `M${left} ${top}V${bottom}H${right}`}));
    }

    curves(good) {
      for (const line of this.lines) {
        let path = "", pen = false, points = 0, last = null;
        for (let i = 0; i < line.x.length; ++i) {
          if (!good(line.y[i]) || line.x[i] === null) {
            pen = false;
            continue;
          }
          last = [this.atX(line.x[i]), this.atY(line.y[i])];
          path += (pen ? "L" : "M") + last[0].toFixed(1) + " " + last[1].toFixed(1);
          pen = true;
          ++points;
        }
        const number = line.series.number;
        const look = {style: "stroke:" + colourOf(number), "stroke-dasharray": dashOf(number),
                      class: line.series.faint ? "curve faint" : "curve"};
        if (points > 1) this.drawing.append(svg("path", {d: path, ...look}));
        if (points > 0 && points < 30) {
          this.drawing.append(...line.x.flatMap((x, i) => good(line.y[i]) && x !== null ? [
            svg("circle", {cx: this.atX(x), cy: this.atY(line.y[i]), r: points === 1 ? 4 : 2.5,
                           style: "fill:" + colourOf(number)})] : []));
        }
      }
      this.hair = svg("line", {class: "hair", y1: this.area.top, y2: this.area.bottom, visibility: "hidden"});
      this.drawing.append(this.hair);
    }

    // For those who do not see the curves.
    describe() {
      const parts = (this.area ? this.lines : []).map((line) => {
        const i = line.raw.length - 1;
        return line.series.name + ": " + shown(line.raw[i]) + " at " + this.shownX(line.x[i]);
      });
      this.place.setAttribute("aria-label", this.what.title + ". " + (parts.slice(0, 12).join("; ") ||
          "No values yet") + ". Arrow keys tell values.");
    }

    drawLegend() {
      const all = this.what.series.filter((s) => !s.faint);
      const key = JSON.stringify(all.map((s) => [s.name, s.number, this.hidden.has(s.name)]));
      if (key === this.legendKey) return;
      this.legendKey = key;
      this.legend.replaceChildren(...all.map((s) => {
        const button = element("button", {type: "button", title: s.name,
                                          "aria-pressed": String(!this.hidden.has(s.name))});
        const mark = svg("svg", {width: 22, height: 8, "aria-hidden": "true"});
        mark.append(svg("line", {x1: 0, x2: 22, y1: 4, y2: 4, class: "curve",
                                 style: "stroke:" + colourOf(s.number),
                                 "stroke-dasharray": dashOf(s.number)}));
        button.append(mark, element("span", {}, s.name));
        button.addEventListener("click", () => {
          if (!this.hidden.delete(s.name)) this.hidden.add(s.name);
          this.draw();
        });
        const item = element("li");
        item.append(button);
        return item;
      }));
    }

    shownX(x) {
      return this.what.xTime ? shownTime(x) : (this.what.xTitle || "x") + " " + shown(x);
    }

    point(event) {
      if (!this.area) return;
      const x = event.clientX - this.drawing.getBoundingClientRect().left;
      const {left, right} = this.area, {xLow, xHigh} = this.range;
      this.show(xLow + Math.min(1, Math.max(0, (x - left) / (right - left))) * (xHigh - xLow));
    }

    unpoint() {
      this.cursor = null;
      this.tip.hidden = true;
      if (this.hair) this.hair.setAttribute("visibility", "hidden");
    }

    key(event) {
      if (!this.area || !["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) return;
      event.preventDefault();
      const {xLow, xHigh} = this.range, step = (xHigh - xLow) / 20;
      const now = this.cursor === null ? xHigh : this.cursor;
      const to = {ArrowLeft: now - step, ArrowRight: now + step, Home: xLow, End: xHigh}[event.key];
      this.show(Math.min(xHigh, Math.max(xLow, to)));
      this.tell.textContent = this.tip.textContent;
    }

    show(x) {
      if (!this.area) return;
      this.cursor = x;
      const rows = this.lines.filter((l) => !l.series.faint).slice(0, 24).map((line) => {
        const i = nearest(line.x, x);
        return {line, at: line.x[i], value: line.raw[i]};
      });
      if (!rows.length) return;
      const at = rows.reduce((a, b) => Math.abs(a.at - x) <= Math.abs(b.at - x) ? a : b).at;
      const where = this.atX(at);
      this.hair.setAttribute("x1", where);
      this.hair.setAttribute("x2", where);
      this.hair.setAttribute("visibility", "visible");
      this.tip.replaceChildren(element("div", {class: "tip-x"}, this.shownX(at) + " "), ...rows.map((row) => {
        const item = element("div", {class: "tip-row"});
        item.append(element("i", {style: "background:" + colourOf(row.line.series.number)}),
                    element("span", {}, row.line.series.name + " "),
                    element("b", {}, shown(row.value) + " "));
        return item;
      }));
      this.tip.hidden = false;
      const half = this.width / 2;
      this.tip.style.left = where < half ? where + 14 + "px" : "auto";
      this.tip.style.right = where < half ? "auto" : this.width - where + 14 + "px";
    }
  }

  return {Plot, element, shown, shownTime, colourOf, dashOf};
})();
