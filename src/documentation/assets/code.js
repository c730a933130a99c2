// Code: colours, copying, and the language that the reader prefers.
import hljs from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import ini from 'highlight.js/lib/languages/ini'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

const LANGUAGES = { sh: bash, console: bash, ini, json, python, ts: typescript, tsx: typescript, html: xml, yaml }
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language)
const COPIED_MS = 1_500
const PREFERENCE = 'documentation-language'

/** Colours the code below `place`, and lets it be copied. */
export function decorateCode(place) {
  for (const block of place.querySelectorAll('pre')) {
    if (block.closest('.code')) continue
    const code = block.querySelector('code')
    const [, language = ''] = /\blanguage-(\w+)/.exec(code?.className ?? '') ?? []
    if (code && language in LANGUAGES) colour(code, language)
    const around = Object.assign(document.createElement('div'), { className: 'code' })
    block.replaceWith(around)
    around.append(block, copyButton(block))
  }
}

function colour(code, language) {
  const { value } = hljs.highlight(code.textContent, { language, ignoreIllegals: true })
  // Parsed apart from the page; the library has escaped the code.
  const parsed = new DOMParser().parseFromString(`<code>${value}</code>`, 'text/html')
  code.replaceChildren(...parsed.querySelector('code').childNodes)
}

function copyButton(block) {
  const button = Object.assign(document.createElement('button'), { type: 'button', className: 'copy', textContent: 'Copy' })
  button.addEventListener('click', async () => {
    const copied = await navigator.clipboard.writeText(block.textContent.replace(/\n$/, '')).then(
      () => true,
      () => false,
    )
    if (!copied) getSelection().selectAllChildren(block)
    button.textContent = copied ? 'Copied' : 'Press Ctrl+C'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, COPIED_MS)
  })
  return button
}

/** A language chosen in one place is chosen everywhere, and kept for the next page. */
export function startLanguages() {
  const kept = read()
  if (kept !== null) choose(kept)
  for (const summary of document.querySelectorAll('.samples summary')) {
    summary.addEventListener('click', (event) => {
      event.preventDefault()
      choose(summary.textContent)
      try {
        localStorage.setItem(PREFERENCE, summary.textContent)
      } catch {
        // A browser that keeps nothing shows the first language.
      }
    })
  }
}

function choose(language) {
  for (const group of document.querySelectorAll('.samples')) {
    const all = [...group.querySelectorAll('details')]
    const chosen = all.find((each) => each.querySelector('summary').textContent === language)
    if (chosen) for (const each of all) each.open = each === chosen
  }
}

function read() {
  try {
    return localStorage.getItem(PREFERENCE)
  } catch {
    return null
  }
}
