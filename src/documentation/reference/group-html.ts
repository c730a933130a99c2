import type { Example } from '../../api/reference/reference-examples.ts'
import { toHtml } from '../pages/html.ts'
import { languageGroup } from '../pages/language-group.ts'
import { answerOf } from './examples.ts'
import { type Group, statusesOf, tablesOf } from './groups.ts'
import { kindOf, limitsOf, type Row } from './rows.ts'
import { type Call, samplesOf } from './samples.ts'
import { type Trial, trialOf } from './trial.ts'

/** What the pages of all groups share. */
export interface Shared {
  /** Address of the deployment. */
  base: string
  /** Recorded answers, by operation id. */
  examples: Readonly<Record<string, Example>>
}

/** Main part of the page of a group. */
export function groupHtml(group: Group, shared: Shared): string {
  const links = group.calls.map(({ operation }) => `<li><a href="#${toHtml(operation.operationId)}">${toHtml(operation.summary)}</a></li>`)
  return `<h1>${toHtml(group.title)}</h1>
${paragraphs(group.description)}
<nav class="outline" aria-label="On this page"><details open><summary>On this page</summary><ul>${links.join('')}</ul></details></nav>
${group.calls.map((call) => article(call, group.isEvents, shared)).join('\n')}`
}

/** Main part of the first page: what all operations have in common, and the list of them. */
export function overviewHtml(title: string, description: string, version: string, groups: readonly Group[]): string {
  const sections = groups.map(({ title: name, path, calls, isEvents }) => {
    const items = calls.map((call) => {
      const text = isEvents ? `${call.path}: ${call.operation.summary}` : call.operation.summary
      return `<li><a href="${toHtml(`${path}#${call.operation.operationId}`)}">${toHtml(text)}</a></li>`
    })
    return `<h2><a href="${toHtml(path)}">${toHtml(name)}</a></h2>\n<ul>${items.join('')}</ul>`
  })
  return `<h1>${toHtml(title)}</h1>
<p>Version ${toHtml(version)}. The same as OpenAPI 3.1: <a href="/admin/api/openapi.json">for programs</a>, <a href="/admin/api/administration.json">administration</a>.</p>
${BEGINNING}
${paragraphs(description)}
${sections.join('\n')}`
}

const BEGINNING = `<p>A program sends an API key, which an administrator makes on the portal page “API keys”, as <code>Authorization: Bearer …</code>;
a user’s program sends the token of a <a href="/docs/reference/access#login">login</a>. Errors are problem details (RFC 9457) with <code>Code</code>,
<code>Message</code> and <code>requestId</code>; bad input also has <code>errors</code>, one entry per field. Lists take <code>PageNumber</code>,
<code>PageSize</code>, <code>OrderBy</code>, <code>Desc</code> and <code>FilterQuery</code>. Samples are in curl and for the SDKs; each operation can be tried
on its page with a key of yours.</p>`

function article(call: Call, isEvent: boolean, shared: Shared): string {
  const { path, method, operation } = call
  const id = toHtml(operation.operationId)
  const tables = tablesOf(operation).filter(({ title }) => !isEvent || title === 'Body')
  const shown = tables.map(({ title, rows }) => table(title, rows)).join('\n')
  if (isEvent) {
    return `<article class="event" aria-labelledby="${id}"><h2 id="${id}">${toHtml(path)}: ${toHtml(operation.summary)}</h2>
${paragraphs(operation.description)}
${shown}</article>`
  }
  return `<article aria-labelledby="${id}"><div class="about"><h2 id="${id}">${toHtml(operation.summary)}</h2>
<p class="address"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakable(path)}</code></p>
${paragraphs(operation.description)}
${shown}
<details class="statuses"><summary>Statuses</summary><ul>${statusesOf(operation)
    .map(({ status, text }) => `<li><code>${toHtml(status)}</code> ${withCode(text)}</li>`)
    .join('')}</ul></details></div>
<div class="tried">${samples(call, shared.base)}
${answer(shared.examples[operation.operationId])}${trial(trialOf(call))}</div></article>`
}

/** What a running deployment answered. */
function answer(example: Example | undefined): string {
  const answered = answerOf(example)
  if (answered === null) return ''
  return `<details class="statuses" open><summary>Answer: ${answered.status}</summary><pre tabindex="0"><code class="language-json">${toHtml(answered.text)}</code></pre></details>\n`
}

function samples(call: Call, base: string): string {
  const parts = samplesOf(base, call).map(({ language, mark, code }) => ({
    name: language,
    block: `<pre tabindex="0"><code class="language-${mark}">${toHtml(code)}</code></pre>`,
  }))
  return languageGroup(`sample-${call.operation.operationId}`, parts)
}

/** Where the page’s script puts a form; nothing is there without it. */
function trial(call: Trial): string {
  return `<div class="trial" data-trial="${toHtml(JSON.stringify(call))}"></div>`
}

function table(title: string, rows: readonly Row[]): string {
  const body = rows.map(
    ({ name, required, schema }) =>
      `<tr><th scope="row"><code>${breakable(name)}</code> <small>${toHtml(kindOf(schema))}${required ? ', required' : ''}</small></th>` +
      `<td>${withCode(schema.description ?? '')} <small>${toHtml(limitsOf(schema))}</small></td></tr>`,
  )
  return (
    `<div class="scroll" tabindex="0" role="group" aria-label="${title}"><table class="fields"><caption>${title}</caption>` +
    `<thead><tr><th scope="col">Name</th><th scope="col">Meaning</th></tr></thead><tbody>${body.join('')}</tbody></table></div>`
  )
}

function paragraphs(text: string | undefined): string {
  return (text ?? '')
    .split('\n\n')
    .filter(Boolean)
    .map((part) => `<p>${withCode(part)}</p>`)
    .join('')
}

/** Text with `code` in backticks as markup. */
function withCode(text: string): string {
  return toHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

/** Allows long paths to wrap on a narrow screen. */
function breakable(text: string): string {
  return toHtml(text).replaceAll('/', '/<wbr>')
}
