import { createHash } from 'node:crypto'
import { curlOf } from './reference-curl.ts'
import type { Media, Operation, Parameter, ReferenceDocument, SchemaPart } from './reference-schema.ts'
import { toSchemaPart } from './reference-schema.ts'
import { REFERENCE_STYLE } from './reference-style.ts'

/** The page loads and runs nothing and cannot be framed. */
export const referencePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(REFERENCE_STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Reference page (HTML), generated from the document alone. */
export function referencePage(document: ReferenceDocument): string {
  const entries = entriesOf(document)
  const tags = [...new Set(entries.map(({ operation }) => operation.tags[0] ?? ''))]
  const base = document.servers[0]?.url ?? ''
  const sections = tags.map((tag) =>
    section(
      tag,
      entries.filter(({ operation }) => operation.tags[0] === tag),
      base,
    ),
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${toHtml(document.info.title)}: reference</title>
<style>${REFERENCE_STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the reference</a>
<header><h1>${toHtml(document.info.title)}</h1>
${paragraphs(document.info.description)}
<p>Version ${toHtml(document.info.version)}. The same as OpenAPI 3.1: <a href="openapi.json">for programs</a>, <a href="administration.json">administration</a>.</p></header>
<nav aria-label="Operations"><ul>${tags.map((tag) => contents(tag, entries)).join('')}${contents(EVENTS, eventsOf(document))}</ul></nav>
<main id="main">
${BEGINNING}
${sections.join('\n')}
${eventSection(document)}
</main>
</body>
</html>
`
}

interface Entry {
  path: string
  method: string
  operation: Operation
}

const BEGINNING = `<section aria-labelledby="begin"><h2 id="begin">To begin</h2>
<p>Get a token with <a href="#login">your e-mail address and password</a> and send it with every call as <code>Authorization: Bearer …</code>.
Errors are problem details (RFC 9457) with <code>Code</code>, <code>Message</code> and <code>requestId</code>; bad input also has <code>errors</code>,
one entry per field. Lists take <code>PageNumber</code>, <code>PageSize</code>, <code>OrderBy</code>, <code>Desc</code> and <code>FilterQuery</code>.</p></section>`

function entriesOf(document: ReferenceDocument): Entry[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
}

function contents(tag: string, entries: Entry[]): string {
  const own = entries.filter(({ operation }) => operation.tags[0] === tag)
  const links = own.map(({ operation }) => `<li><a href="#${toHtml(operation.operationId)}">${toHtml(operation.summary)}</a></li>`)
  return `<li><a href="#tag-${slug(tag)}">${toHtml(tag)}</a><ul>${links.join('')}</ul></li>`
}

function section(tag: string, entries: Entry[], base: string): string {
  const articles = entries.map((entry) => article(entry, base))
  return `<section aria-labelledby="tag-${slug(tag)}"><h2 id="tag-${slug(tag)}">${toHtml(tag)}</h2>\n${articles.join('\n')}</section>`
}

/** Tag of the webhooks sent to subscribers. */
const EVENTS = 'Events'

function eventsOf(document: ReferenceDocument): Entry[] {
  return Object.entries(document.webhooks).map(([path, { post }]) => ({ path, method: 'POST', operation: post }))
}

/** Section of an event; its name takes the place of an operation's path. */
function eventSection(document: ReferenceDocument): string {
  const articles = eventsOf(document).map(({ path, operation }) => {
    const id = toHtml(operation.operationId)
    return `<article aria-labelledby="${id}"><h3 id="${id}">${toHtml(path)}: ${toHtml(operation.summary)}</h3>
${paragraphs(operation.description)}
${mediaTable('Body', operation.requestBody?.content['application/json'])}</article>`
  })
  return `<section aria-labelledby="tag-${slug(EVENTS)}"><h2 id="tag-${slug(EVENTS)}">${EVENTS}</h2>\n${articles.join('\n')}</section>`
}

function article(entry: Entry, base: string): string {
  const { path, method, operation } = entry
  const id = toHtml(operation.operationId)
  return `<article aria-labelledby="${id}"><h3 id="${id}">${toHtml(operation.summary)}</h3>
<p class="address"><span class="method">${method}</span> <code>${breakable(path)}</code></p>
${paragraphs(operation.description)}
${parameterTable(operation.parameters ?? [])}
${mediaTable('Body', operation.requestBody?.content['application/json'])}
${answers(operation)}
<h4>Try it</h4><pre tabindex="0"><code>${toHtml(curlOf(base, path, method, operation))}</code></pre></article>`
}

function parameterTable(parameters: Parameter[]): string {
  const rows = parameters.map((parameter) => ({
    name: parameter.name,
    required: parameter.required ?? false,
    schema: { ...parameter.schema, description: parameter.description ?? parameter.schema.description ?? '' },
  }))
  return table('Parameters', rows)
}

function mediaTable(title: string, media: Media | undefined): string {
  return media?.schema ? table(title, rowsOf(media.schema, '')) : ''
}

/** Properties of an object, followed by those of nested objects and lists: `data[].id`. */
function rowsOf(schema: SchemaPart, prefix: string): Row[] {
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    const property = toSchemaPart(value)
    const inner = property.items === undefined ? property : toSchemaPart(property.items)
    const path = `${prefix}${name}`
    return [
      { name: path, required: required.has(name), schema: property },
      ...rowsOf(inner, property.items === undefined ? `${path}.` : `${path}[].`),
    ]
  })
}

interface Row {
  name: string
  required: boolean
  schema: SchemaPart
}

function answers(operation: Operation): string {
  const items = Object.entries(operation.responses).map(([status, answer]) => {
    const media = answer.content?.['application/json']
    return { status, text: answer.description ?? '', media }
  })
  const good = items.find(({ media }) => media?.schema !== undefined)
  const list = items.map(({ status, text }) => `<li><code>${toHtml(status)}</code> ${toHtml(text === 'Default Response' ? '' : text)}</li>`)
  return `${mediaTable('Answer', good?.media)}<details><summary>Statuses</summary><ul>${list.join('')}</ul></details>`
}

function table(title: string, rows: Row[]): string {
  if (rows.length === 0) return ''
  const body = rows.map(
    ({ name, required, schema }) =>
      `<tr><th scope="row"><code>${breakable(name)}</code>${required ? ' <small>required</small>' : ''}</th><td>${toHtml(kindOf(schema))}</td>` +
      `<td>${withCode(schema.description ?? '')}${limits(schema)}</td></tr>`,
  )
  return (
    `<div class="scroll" tabindex="0" role="group" aria-label="${title}"><table><caption>${title}</caption>` +
    `<thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${body.join('')}</tbody></table></div>`
  )
}

function kindOf(schema: SchemaPart): string {
  if (schema.anyOf) return schema.anyOf.map((part) => kindOf(toSchemaPart(part))).join(' or ')
  if (schema.items !== undefined) return `list of ${kindOf(toSchemaPart(schema.items))}`
  if (schema.enum) return 'word'
  return schema.format ?? (typeof schema.type === 'string' ? schema.type : 'any')
}

function limits(schema: SchemaPart): string {
  const parts: string[] = []
  if (schema.enum) parts.push(`One of ${schema.enum.map(String).join(', ')}.`)
  if (schema.minimum !== undefined && schema.maximum !== undefined) parts.push(`${schema.minimum} to ${schema.maximum}.`)
  if (schema.maxLength !== undefined) parts.push(`At most ${schema.maxLength} characters.`)
  if (schema.default !== undefined) parts.push(`Default ${String(schema.default)}.`)
  return parts.length === 0 ? '' : ` <small>${toHtml(parts.join(' '))}</small>`
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

function slug(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}

function toHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')
}
