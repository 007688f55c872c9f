// Draws the charts of a report from the numbers in the page.
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const board = new Panels.Board(document.getElementById("charts"));
  const controls = document.getElementById("controls");
  function draw() {
    board.draw(data.runs, {
      axis: controls.elements.axis.value, log: controls.elements.log.checked,
      smooth: Number(controls.elements.smooth.value)});
  }
  controls.hidden = false;
  controls.addEventListener("input", draw);
  controls.addEventListener("submit", (event) => event.preventDefault());
  draw();
  for (const chart of data.charts || []) {
    const box = document.getElementById(chart.id);
    if (box) new Chart.Plot(box).update(chart);
  }
  window.addEventListener("beforeprint", () => {
    for (const box of document.querySelectorAll("details")) box.open = true;
  });
})();
