// Draws the charts of report.html from the JSON beside it and makes the table of trials sortable and searchable.
// The page is complete without it.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const charts = [];
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
  const kColours = {"reference": "reference", "lowest reference": "reference",
                    "range of the references": "reference",
                    "as it is": "subject", "fix": "fix"};
  const points = (line) => line.steps.map((x, i) => ({x, y: line.values[i] === null ? NaN : line.values[i]}));

  const element = (tag, attributes, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };

  function dataset(line) {
    const top = line.name === "range of the references", envelope = top || line.name === "lowest reference";
    return {
      label: line.name, kind: kColours[line.name] || "picked", data: points(line), borderWidth: envelope ? 0.5 : 1.5,
      pointRadius: line.steps.length > 100 ? 0 : 2, pointHitRadius: 6,
      fill: top ? "-1" : false,
    };
  }

  // The zone that is accepted, as two straight lines with the space between them filled.
  function zone(lines) {
    const steps = lines.flatMap((line) => line.steps);
    const ends = [steps.reduce((a, b) => Math.min(a, b)), steps.reduce((a, b) => Math.max(a, b))];
    const accepted = `accepted: \u00b1${+(data.target * 100).toPrecision(3)} %`;
    return [-data.target, data.target].map((y, i) => ({
      label: i ? accepted : "", kind: "fix", data: ends.map((x) => ({x, y})), borderWidth: 0.5, pointRadius: 0,
      pointHitRadius: 0, fill: i ? "-1" : false,
    }));
  }

  const verdictColour = (verdict) => colour({pass: "pass", fail: "fail", measured: "reference"}[verdict] || "open");

  function paint(chart) {
    for (const one of chart.data.datasets) {
      if (one.kind) {
        one.borderColor = colour(one.kind);
        one.backgroundColor = one.fill ? colour(one.kind) + "33" : colour(one.kind);
        if (one.verdicts) one.pointBackgroundColor = one.verdicts.map(verdictColour);
      } else {
        one.backgroundColor = one.verdicts.map(verdictColour);
      }
    }
    const {scales, plugins} = chart.options;
    for (const scale of Object.values(scales)) {
      scale.ticks.color = scale.title.color = colour("faint");
      scale.grid.color = colour("line");
      scale.grid.borderColor = colour("line");
    }
    if (plugins.legend.labels) plugins.legend.labels.color = colour("text");
    chart.update("none");
  }

  // Where the comparable part ends. Its label stands on the wider side, above everything, with a rim that keeps curves off its letters.
  const comparableEnd = {
    id: "comparableEnd",
    afterDatasetsDraw(chart) {
      const {ctx, chartArea: {left, right, top, bottom}, scales} = chart;
      const x = scales.x.getPixelForValue(data.comparable_end);
      if (!(x >= left && x <= right)) return;
      const before = x - left > right - x, room = Math.max(x - left, right - x) - 12;
      const text = `agrees up to here: step ${data.comparable_end}`;
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = colour("text");
      ctx.setLineDash([6, 4]);
      ctx.beginPath();
      ctx.moveTo(x, top);
      ctx.lineTo(x, bottom);
      ctx.stroke();
      ctx.font = "12px system-ui, sans-serif";
      ctx.textBaseline = "top";
      const width = Math.min(ctx.measureText(text).width, room), from = before ? x - 6 - width : x + 6;
      ctx.setLineDash([]);
      ctx.strokeStyle = colour("card");
      ctx.lineWidth = 4;
      ctx.lineJoin = "round";
      ctx.strokeText(text, from, top + 4, room);
      ctx.fillText(text, from, top + 4, room);
      ctx.restore();
    },
  };

  const axis = (text, more) => ({title: {display: true, text}, ticks: {}, grid: {}, ...more});

  function lineChart({id, lines}) {
    const percent = id === "differences";
    const heading = document.getElementById(id + "-section").querySelector("h2").textContent;
    const y = axis(percent ? "difference to the reference" : heading, {});
    if (percent) y.ticks.callback = (value) => +(value * 100).toPrecision(4) + " %";
    const percentLabel = (item) => item.dataset.label + ": " + (item.parsed.y * 100).toFixed(3) + " %";
    const marked = data.comparable_end !== null && (percent || id === "curves");  // the others are not judged
    const chart = new Chart(document.getElementById(id), {
      type: "line", plugins: marked ? [comparableEnd] : [],
      data: {datasets: [...(percent ? zone(lines) : []), ...lines.map(dataset)]},
      options: {
        animation: false, maintainAspectRatio: false, normalized: true, parsing: false, spanGaps: false,
        interaction: {mode: "nearest", axis: "x", intersect: false},
        scales: {x: axis("step", {type: "linear"}), y},
        plugins: {legend: {labels: {filter: (item) => item.text && item.text !== "lowest reference"}},
                  tooltip: {callbacks: percent ? {label: percentLabel} : {}}},
      },
    });
    charts.push(chart);
    controls(chart, id, percent);
    return chart;
  }

  // Zoom by numbers, which works on a phone and with a keyboard.
  function controls(chart, id, percent) {
    const number = (label) => element("input", {type: "number", "aria-label": label});
    const from = number("from step"), to = number("to step");
    const show = () => {
      chart.options.scales.x.min = from.value === "" ? undefined : +from.value;
      chart.options.scales.x.max = to.value === "" ? undefined : +to.value;
      chart.update("none");
    };
    from.addEventListener("input", show);
    to.addEventListener("input", show);
    const range = (first, last) => { from.value = first; to.value = last; show(); };
    const button = (label, action) => {
      const one = element("button", {type: "button"}, label);
      one.addEventListener("click", action);
      return one;
    };
    const steps = chart.data.datasets.flatMap((line) => line.data.map((point) => point.x));
    const last = steps.reduce((a, b) => Math.max(a, b)), first = steps.reduce((a, b) => Math.min(a, b));
    const bar = element("div", {"class": "controls"}, "steps", from, "to", to,
                        button("last fifth", () => range(Math.ceil(last - (last - first) / 5), last)),
                        button("all steps", () => range("", "")));
    dragging(chart, range);
    if (!percent) {
      const logarithmic = element("input", {type: "checkbox"});
      logarithmic.addEventListener("change", () => {
        chart.options.scales.y.type = logarithmic.checked ? "logarithmic" : "linear";
        chart.update("none");
      });
      bar.append(element("label", {}, logarithmic, " logarithmic"));
    }
    document.getElementById(id).parentElement.before(bar);
  }

  // Zoom with a mouse: what is dragged over is shown.
  function dragging(chart, range) {
    const chosen = element("div", {"class": "chosen"});
    let start = null;
    const inside = (event) => Math.min(Math.max(event.offsetX, chart.chartArea.left), chart.chartArea.right);
    const step = (x) => Math.round(chart.scales.x.getValueForPixel(x));
    chart.canvas.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || event.button !== 0 || event.offsetY < chart.chartArea.top) return;
      start = inside(event);
      chart.canvas.setPointerCapture(event.pointerId);
    });
    chart.canvas.addEventListener("pointermove", (event) => {
      if (start === null) return;
      const {top, height} = chart.chartArea;
      Object.assign(chosen.style, {left: Math.min(start, inside(event)) + "px", top: top + "px", height: height + "px",
                                   width: Math.abs(inside(event) - start) + "px"});
      chart.canvas.after(chosen);
    });
    chart.canvas.addEventListener("pointerup", (event) => {
      if (start === null) return;
      const steps = [step(start), step(inside(event))].sort((a, b) => a - b);
      if (Math.abs(inside(event) - start) > 5 && steps[0] < steps[1]) range(...steps);
      start = null;
      chosen.remove();
    });
  }

  function timeline() {
    const canvas = document.getElementById("timeline");
    if (!canvas) return;
    const rows = [...new Set(data.timeline.map((bar) => bar.device))];
    rows.sort((a, b) => a.localeCompare(b, "en", {numeric: true}));
    const last = data.timeline.reduce((latest, bar) => Math.max(latest, bar.end), 0);
    const [unit, unit_s] = last > 7200 ? ["hours", 3600] : last > 600 ? ["minutes", 60] : ["seconds", 1];
    canvas.parentElement.style.height = Math.max(8, 4 + 2 * rows.length) + "rem";
    charts.push(new Chart(canvas, {
      type: "bar",
      data: {labels: rows, datasets: [{
        data: data.timeline.map((bar) => ({x: [bar.start / unit_s, bar.end / unit_s], y: bar.device})),
        verdicts: data.timeline.map((bar) => bar.verdict), minBarLength: 2, barPercentage: 0.9,
      }]},
      options: {
        indexAxis: "y", animation: false, maintainAspectRatio: false,
        scales: {x: axis(unit + " since the start", {beginAtZero: true}), y: axis("", {})},
        plugins: {legend: {display: false}, tooltip: {callbacks: {
          title: (items) => "trial " + data.timeline[items[0].dataIndex].trial,
          label: (item) => {
            const bar = data.timeline[item.dataIndex];
            return `${bar.verdict}, ${bar.start} to ${bar.end} s`;
          },
        }}},
      },
    }));
  }

  // How far each value of a ladder is from the reference; what gave no verdict has no point.
  function ladder({values, deltas, verdicts}, index) {
    const canvas = document.getElementById("ladder-" + index);
    const ends = [0, values.length - 1];
    charts.push(new Chart(canvas, {
      type: "line",
      data: {labels: values, datasets: [
        {label: "difference", kind: "subject", data: deltas, borderWidth: 1.5, pointRadius: 4, verdicts},
        ...[-data.target, data.target].map((y, i) => ({
          label: "accepted", kind: "fix", data: values.map((_, x) => ends.includes(x) ? y : null), spanGaps: true,
          borderWidth: 0.5, pointRadius: 0, pointHitRadius: 0, fill: i ? "-1" : false,
        })),
      ]},
      options: {
        animation: false, maintainAspectRatio: false,
        scales: {x: axis("value", {}), y: axis("%", {ticks: {callback: (value) => +(value * 100).toPrecision(4) + " %"}})},
        plugins: {legend: {display: false}, tooltip: {callbacks: {
          label: (item) => `${verdicts[item.dataIndex]}, ${(item.parsed.y * 100).toFixed(3)} %`,
        }}},
      },
    }));
  }

  // A click on a trial shows its curve beside the others.
  function picking(table, curves) {
    const byNumber = new Map(data.trials.map((trial) => [String(trial.number), trial]));
    for (const row of table.tBodies[0].rows) {
      const trial = byNumber.get(row.dataset.number);
      if (!curves || !trial || !trial.steps.length) continue;
      const title = "show the curve of trial " + trial.number;
      const box = element("input", {type: "checkbox", title, "aria-label": title});
      box.addEventListener("change", () => {
        row.classList.toggle("picked", box.checked);
        const label = "trial " + trial.number;
        const others = curves.data.datasets.filter((one) => one.label !== label);
        curves.data.datasets = box.checked ? [...others, dataset({...trial, name: label})] : others;
        paint(curves);
      });
      row.cells[0].prepend(element("label", {}, box, " "));
    }
  }

  function sorting(table) {
    const body = table.tBodies[0];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = element("button", {type: "button"}, head.textContent);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const text = (row) => row.cells[column].textContent.trim();
        const number = (row) => "sort" in row.cells[column].dataset ? Number(row.cells[column].dataset.sort) : null;
        const kind = (row) => number(row) !== null ? 0 : text(row) !== "" ? 1 : 2;
        // Both ways: numbers, then words ("nan", "ended early"), then what is empty.
        const order = (a, b) => kind(a) - kind(b) || (down ? -1 : 1) * (kind(a) === 0
            ? (number(a) > number(b)) - (number(a) < number(b))  // a difference of infinities would be none
            : text(a).localeCompare(text(b), "en", {numeric: true}));
        body.append(...[...body.rows].sort(order));
      });
    });
  }

  function filtering(table) {
    const words = element("input", {type: "search", placeholder: "find in trials", "aria-label": "find in trials"});
    const found = element("span", {role: "status"});
    const rows = [...table.tBodies[0].rows];
    const show = (text) => {
      words.value = text;
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(text.toLowerCase());
      found.textContent = text === "" ? "" : `${rows.filter((row) => !row.hidden).length} of ${rows.length} trials`;
    };
    words.addEventListener("input", () => {
      show(words.value);
      history.replaceState(null, "", words.value === "" ? " " : "#find=" + encodeURIComponent(words.value));
    });
    table.parentElement.before(element("div", {"class": "controls"}, words, found));

    const decoded = (text) => {
      try {
        return decodeURIComponent(text);
      } catch {  // typed by hand: a % that begins no code
        return text;
      }
    };
    // "#trial-9" goes to a row, though the filter hides it; "#find=words" is what somebody has filtered.
    const follow = () => {
      const place = location.hash.slice(1);
      if (place.startsWith("find=")) show(decoded(place.slice(5)));
      const row = rows.find((one) => one.id === place);
      if (!row) return;
      if (row.hidden) show("");
      row.scrollIntoView({block: "center"});
      row.focus({preventScroll: true});
    };
    addEventListener("hashchange", follow);
    document.addEventListener("click", (event) => {  // a second click on the same link changes no hash
      const link = event.target.closest("a[href^='#trial-']");
      if (link && link.getAttribute("href") === location.hash) follow();
    });
    follow();
  }

  const drawn = new Map(data.charts.map((chart) => [chart.id, lineChart(chart)]));
  data.ladders.forEach(ladder);
  timeline();
  charts.forEach(paint);
  const table = document.getElementById("trial-table");
  if (table) {
    picking(table, drawn.get("curves"));
    sorting(table);
    filtering(table);
  }
  const repaint = () => charts.forEach(paint);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  matchMedia("print").addEventListener("change", () => {
    for (const chart of charts) chart.resize();
    repaint();
  });
  document.documentElement.dataset.charts = charts.length;  // tells a test that everything was drawn
})();
