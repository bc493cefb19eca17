/**
 * The part of the style sheets that reports and served pages share: colors, tables and figures. Series have the colors of Okabe and Ito, adjusted
 * for contrast with the page. Each series also has its own shape or label. Printed pages are always light.
 */
export const PARTS_STYLE = `
:root {
  color-scheme: light dark;
  --background: #fbfbfa; --raised: #fff; --text: #1d2023; --quiet: #565d64; --line: #d5d9dd; --accent: #0b57a4; --chosen: #e3eefa;
  --good: #14602f; --good-background: #dcf2e3; --warn: #7a4300; --warn-background: #fbeacb; --bad: #9b1c1c; --bad-background: #fbe2e1;
  --plain-background: #e9ecef; --mark: #ffe58a; --few: #b4b4b4;
  --s1: #0072b2; --s2: #c4500a; --s3: #00825f; --s4: #a3487c; --s5: #8f6a00; --s6: #2b87bf; --s7: #1a1a1a; --s8: #7a7a7a;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --background: #15171a; --raised: #1d2024; --text: #e5e7e9; --quiet: #a6aeb6; --line: #3a4047; --accent: #8ac0fa; --chosen: #1f3450;
    --good: #95dfae; --good-background: #173a25; --warn: #f2c37d; --warn-background: #44300f; --bad: #f5a8a5; --bad-background: #4a1f1f;
    --plain-background: #2c3138; --mark: #7a5c00; --few: #63686e;
    --s1: #56b4e9; --s2: #ff8c4d; --s3: #2fcf9f; --s4: #e79ac5; --s5: #e6b422; --s6: #8fd0f5; --s7: #e8e6e3; --s8: #a5a5a5;
  }
}
@media print {
  :root { color-scheme: light; --background: #fff; }
}
a { color: var(--accent); }
.facts, .legend { color: var(--quiet); font-size: .87rem; }
.badge { display: inline-block; padding: 0 .4rem; margin: 0 .15rem .1rem; border-radius: 4px; background: var(--plain-background); color: var(--text); font-size: .8rem; font-weight: 500; overflow-wrap: anywhere; }
.badge.warning, .badge.undecided, .badge.other-preference { background: var(--warn-background); color: var(--warn); }
.control { border: 1px solid currentcolor; border-radius: 3px; padding: 0 .15rem; margin: 0 .1rem; font-size: .75em; }
.scroll { overflow: auto; margin: .75rem 0; }
table { border-collapse: collapse; font: .84rem/1.4 system-ui, "Liberation Sans", sans-serif; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-size: .92rem; font-weight: 600; padding: .3rem 0; }
caption span { display: block; color: var(--quiet); font-weight: 400; }
th, td { padding: .15rem .6rem .15rem 0; text-align: left; vertical-align: baseline; font-weight: 400; border-bottom: 1px solid var(--line); }
thead th { color: var(--quiet); vertical-align: bottom; }
tbody th { min-width: 8.7rem; overflow-wrap: anywhere; }
.numbers th, .numbers td { padding-left: .6rem; text-align: right; }
.numbers td, .numbers thead th { white-space: nowrap; }
.numbers .facts { font-size: 1em; }
.numbers tr > :first-child { padding-left: 0; text-align: left; }
.numbers thead th.group { text-align: center; color: var(--text); }
.numbers tbody th.line { color: var(--quiet); font-style: italic; }
.numbers tbody th.depth-1 { padding-left: 1rem; }
.numbers tbody th.depth-2 { padding-left: 2rem; }
.numbers td.text, .numbers th.text { text-align: left; }
.numbers td.text { min-width: 5rem; white-space: normal; }
.numbers thead tr:not(:last-child) td { border-bottom: 0; }
.bar { display: block; width: 5.5rem; height: .9rem; margin-left: auto; }
.bar .ground { fill: var(--plain-background); }
.bar .value { fill: var(--accent); opacity: .55; }
.bar path { fill: none; stroke: var(--text); vector-effect: non-scaling-stroke; stroke-width: 1.25px; }
.bar .chance { stroke: var(--bad); stroke-dasharray: 3 2; }
.comparisons { padding-left: 1.2rem; margin: .5rem 0; max-width: 70rem; }
.comparisons li { margin: .2rem 0; }
.beside { display: flex; flex-wrap: wrap; gap: .5rem 2rem; }
.beside > * { max-width: 100%; }
figure { margin: .5rem 0; break-inside: avoid; max-width: 100%; }
figure.half { width: 40.5rem; }
figure.third { width: 26.5rem; }
figcaption { font-size: .92rem; margin-bottom: .3rem; }
figcaption strong { font-weight: 600; }
svg.plot { display: block; max-width: 100%; height: auto; overflow: visible; font-family: system-ui, "Liberation Sans", sans-serif; }
svg.plot text { white-space: pre; }
figure .legend { display: flex; flex-wrap: wrap; gap: .15rem 1.1rem; list-style: none; padding: 0; margin: .3rem 0; color: var(--text); }
.legend svg.plot { display: inline-block; vertical-align: -.15em; margin-right: .35em; }
@media screen and (max-width: 40rem) {
  figure { overflow-x: auto; }
  /* As small as their texts can be read. */
  figure > .drawing > svg.plot { max-width: 36rem; }
  figcaption::after { content: " Wide charts scroll sideways."; color: var(--quiet); }
}
`;
