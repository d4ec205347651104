// Style of the page of a pipeline's runs, for phones, large screens and paper.

/** The scroll box runs from right to left, so it shows the newest runs without a script. On paper, columns wrap. */
export const TIMELINE_STYLE = `
main { max-width: 90rem; }
h1 code { font-size: inherit; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 1.75rem 0 .5rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .75rem; margin: 1.1rem 0; }
.figures > div { padding: .7rem .9rem .75rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--soft); }
.figures dt { color: var(--quiet); font-size: .8rem; }
.figures dd { margin: 0; overflow-wrap: anywhere; font-size: 1.3rem; font-weight: 600; line-height: 1.35; font-variant-numeric: tabular-nums; letter-spacing: -.01em; }
.figures .more { font-size: .8rem; font-weight: 400; letter-spacing: 0; color: var(--quiet); }
.figures .bad .more { color: var(--bad); }
.figures .warn dd { color: var(--warn); }
.unwell { border-left: 4px solid var(--bad); background: var(--bad-soft); border-radius: .25rem .5rem .5rem .25rem; padding: .65rem 1rem .7rem; }
.unwell h2 { margin: 0 0 .25rem; }
.unwell ul { margin: 0; padding: 0; list-style: none; }
.unwell li { padding: .2rem 0; overflow-wrap: anywhere; }
.unwell b { color: var(--bad); white-space: nowrap; margin-right: .35rem; }
.unwell b.halted { color: var(--quiet); }
.unwell span { display: block; color: var(--quiet); font-size: .875em; }
.unwell a { display: inline-block; max-width: 100%; }
a { color: inherit; text-underline-offset: .2em; }
a:focus-visible, .scroll:focus-visible { outline: 2px solid var(--mark); outline-offset: 2px; border-radius: .2rem; }
figure { margin: 1.5rem 0 0; }
.chart { --plot: 13rem; display: flex; gap: .5rem; }
.chart.flat { --plot: 5rem; }
.scale { position: relative; flex: none; width: 4.4rem; height: var(--plot); margin-top: .6rem; display: flex; flex-direction: column; justify-content: space-between; text-align: right; font-size: .75rem; line-height: 0; color: var(--quiet); white-space: nowrap; }
.zone { position: absolute; right: 0; top: calc(var(--plot) + 2.85rem); font-weight: 600; }
.scroll { flex: 1; min-width: 0; overflow-x: auto; direction: rtl; padding-top: .6rem; scrollbar-width: thin; }
.columns { direction: ltr; display: flex; justify-content: space-around; min-width: 100%; width: max-content; padding-inline: 1.6rem; padding-bottom: 3.7rem; background: linear-gradient(var(--line), var(--line)) 0 0 / 100% 1px no-repeat, linear-gradient(var(--line), var(--line)) 0 calc(var(--plot) / 2) / 100% 1px no-repeat, linear-gradient(var(--faint), var(--faint)) 0 var(--plot) / 100% 1px no-repeat; }
.run { position: relative; flex: 1 1 var(--least); min-width: var(--least); max-width: 6rem; }
.columns:not(.daily) .run:not(.good) { min-width: max(var(--least), 19px); }
.plot { position: relative; height: var(--plot); margin-inline: min(10%, 4px); display: flex; flex-direction: column; justify-content: flex-end; border-radius: 2px 2px 0 0; }
.plot i { flex: none; display: block; min-height: 3px; }
.plot i:first-child { border-radius: 2px 2px 0 0; }
.rows { background: var(--mark); }
.refused { background: repeating-linear-gradient(45deg, var(--warn) 0 3px, var(--warn-soft) 3px 5px); box-shadow: inset 0 0 0 1px var(--warn); }
.run.bad .plot { background: var(--bad-soft); box-shadow: inset 0 0 0 1px var(--bad); }
.run.halted .plot { background: var(--soft); box-shadow: inset 0 0 0 1px var(--faint); }
.run.going .plot { background: repeating-linear-gradient(45deg, var(--mark-soft) 0 4px, transparent 4px 8px); box-shadow: inset 0 0 0 1px var(--mark); }
.plot b { position: absolute; top: .4rem; left: 50%; transform: translateX(-50%) rotate(180deg); writing-mode: vertical-rl; max-height: calc(100% - .8rem); overflow: hidden; padding: .25rem 0; border-radius: 2px; background: var(--page); font-size: .7rem; line-height: 13px; font-weight: 600; white-space: nowrap; }
.run.bad b { color: var(--bad); background: var(--bad-soft); }
.run.halted b { color: var(--text); background: var(--soft); }
.run.going b { color: var(--mark); }
.sign { height: 1.25rem; margin-top: 3px; text-align: center; font-size: .8rem; line-height: 1.25rem; color: var(--faint); overflow: hidden; border-top: 3px solid var(--mark-soft); }
.daily .sign { overflow: visible; }
.sign i { display: block; min-height: 2px; margin-inline: min(10%, 4px); background: var(--warn); }
.run.bad .sign i { background: var(--bad); }
.bad .sign { color: var(--bad); border-color: var(--bad); font-weight: 700; }
.halted .sign { color: var(--quiet); border-color: var(--faint); }
.going .sign { color: var(--mark); border-color: var(--mark); }
.date { position: absolute; top: calc(var(--plot) + 1.65rem); left: 50%; transform: translateX(-50%); text-align: center; font-size: .75rem; line-height: 1.3; white-space: nowrap; color: var(--quiet); font-variant-numeric: tabular-nums; }
.date::before { content: ""; position: absolute; left: 50%; top: -.3rem; height: .25rem; border-left: 1px solid var(--faint); }
.run:hover .plot { outline: 2px solid var(--text); outline-offset: 1px; }
figcaption { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; margin-top: .35rem; font-size: .82rem; color: var(--quiet); }
.key { display: inline-block; width: .85em; height: .85em; margin-right: .4em; border-radius: 2px; vertical-align: -.08em; }
.key.warn { background: var(--warn); }
.key.bad { background: var(--bad-soft); box-shadow: inset 0 0 0 1.5px var(--bad); }
.key.halted { background: var(--soft); box-shadow: inset 0 0 0 1px var(--faint); }
.key.going { background: repeating-linear-gradient(45deg, var(--mark-soft) 0 3px, transparent 3px 6px); box-shadow: inset 0 0 0 1px var(--mark); }
table { border-collapse: collapse; width: 100%; font-size: .93em; }
caption { text-align: left; color: var(--quiet); font-size: .82rem; padding-bottom: .3rem; }
th, td { padding: .35rem .9rem .35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { font-weight: 600; font-size: .85rem; white-space: nowrap; position: sticky; top: 0; background: var(--page); box-shadow: inset 0 -1px var(--faint); }
tbody th { font-variant-numeric: tabular-nums; }
tr > :first-child { padding-left: .6rem; }
td { font-variant-numeric: tabular-nums; white-space: nowrap; }
td.errors { white-space: normal; overflow-wrap: anywhere; min-width: 10rem; max-width: 46rem; padding-right: .6rem; }
.number { text-align: right; }
td.status { white-space: normal; overflow-wrap: anywhere; min-width: 6.6rem; max-width: 12rem; }
.status.bad { color: var(--bad); font-weight: 600; }
.status.going { color: var(--mark); }
td.warn { color: var(--warn); font-weight: 600; }
tr.bad > * { background: var(--bad-soft); }
tr:target > * { background: var(--mark-soft); }
tr:target > :first-child { box-shadow: inset 3px 0 var(--mark); }
@media screen {
  .flat .columns { background: linear-gradient(var(--faint), var(--faint)) 0 var(--plot) / 100% 1px no-repeat; }
}
@media screen and (max-width: 62rem) {
  table, tbody { display: block; }
  thead { display: none; }
  caption { display: block; }
  tbody { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); gap: .6rem; }
  tbody tr { display: grid; grid-template-columns: auto minmax(0, 1fr); align-content: start; gap: .1rem .9rem; padding: .65rem .9rem; border: 1px solid var(--line); border-radius: .5rem; }
  tbody th, tbody td, tbody td.number, td.errors { padding: 0; border: 0; min-width: 0; text-align: left; }
  tbody tr > :first-child { padding: 0; font-weight: 600; box-shadow: none; }
  tbody th::before { content: attr(data-name); }
  tbody td { display: grid; grid-column: 1 / -1; grid-template-columns: 6.5rem minmax(0, 1fr); }
  tbody td:empty { display: none; }
  tbody td::before { content: attr(data-name); color: var(--quiet); font-weight: 400; }
  tbody td.status { grid-column: 2; display: block; min-width: 0; max-width: none; text-align: right; }
  tbody td.status::before { content: none; }
  tr.bad { background: var(--bad-soft); border-color: var(--bad); }
  tr:target { background: var(--mark-soft); border-color: var(--mark); }
  tr.bad > *, tr:target > * { background: none; }
}
@media screen and (max-width: 40rem) {
  .figures { grid-template-columns: repeat(2, minmax(0, 1fr)); gap: .5rem; }
  .figures > div { padding: .5rem .7rem .55rem; }
  .figures dd { font-size: 1.1rem; }
  .figures .more { font-size: .78rem; }
  .chart { --plot: 10rem; gap: .35rem; }
  .scale { width: 3.6rem; }
}
@media print {
  .scroll { overflow: visible; direction: ltr; }
  .columns { width: auto; flex-wrap: wrap; row-gap: 3mm; background: none; padding-block: 0; }
  .chart { --plot: 34mm; }
  .run { border-top: 1px solid var(--line); padding-bottom: 11mm; flex-grow: 0; break-inside: avoid; }
  .plot { border-bottom: 1px solid var(--faint); }
  .date { font-size: 7pt; }
  .figures, .unwell, figcaption { break-inside: avoid; }
  thead th { position: static; }
  thead { display: table-header-group; }
  tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  .run, .run *, .key, .unwell, tr > * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}`;
