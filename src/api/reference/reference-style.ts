/** Style of the reference: light or dark as the reader's system, legible from 320 pixels on. */
export const REFERENCE_STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1b1f24, #e8eaed); --soft: light-dark(#50575e, #b4bac2); --ground: light-dark(#ffffff, #16181c);
  --panel: light-dark(#f4f5f7, #20242a); --line: light-dark(#d0d4d9, #3a4048); --link: light-dark(#0b57a4, #8ab8f5); }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1rem; max-width: 62rem; background: var(--ground); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
a { color: var(--link) }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
.skip { position: absolute; left: -999rem }
.skip:focus { left: 1rem; top: 1rem; background: var(--ground); padding: .5rem }
h1 { font-size: 1.75rem; line-height: 1.2 } h2 { margin-top: 3rem; border-bottom: 1px solid var(--line) } h3 { margin-top: 2.5rem } h4 { margin-bottom: .25rem }
nav ul { padding-left: 1.1rem } nav > ul { columns: 16rem; padding: 0; list-style: none } nav > ul > li { break-inside: avoid; margin-bottom: .75rem }
code, pre { font: .9em/1.5 ui-monospace, monospace }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .75rem; overflow-x: auto }
.address { background: var(--panel); border-left: 4px solid var(--link); padding: .4rem .6rem }
.method { font-weight: 700 }
.scroll { overflow-x: auto }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 } caption { text-align: left; font-weight: 700; padding: .25rem 0 }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid var(--line); font-weight: 400; min-width: 5rem }
th code { overflow-wrap: normal; white-space: nowrap }
thead th, small { color: var(--soft) }
summary { cursor: pointer; padding: .4rem 0 }
`
