import { answerOf } from './examples.ts'
import type { Shared } from './group-html.ts'
import { type Group, statusesOf, tablesOf } from './groups.ts'
import { kindOf, limitsOf, type Row } from './rows.ts'
import { type Call, samplesOf } from './samples.ts'

export function groupMarkdown({ title, description, calls, isEvents }: Group, shared: Shared): string {
  return [`# ${title}`, description, ...calls.map((call) => section(call, isEvents, shared))].filter(Boolean).join('\n\n').concat('\n')
}

export function overviewMarkdown(title: string, description: string, version: string, groups: readonly Group[]): string {
  const sections = groups.map(({ title: name, path, calls }) => {
    const items = calls.map(({ method, path: place, operation }) => `- ${operation.summary}: \`${method} ${place}\``)
    return `## [${name}](${path}.md)\n\n${items.join('\n')}`
  })
  const documents = `Version ${version}. OpenAPI 3.1: [for programs](/admin/api/openapi.json), [administration](/admin/api/administration.json).`
  return [`# ${title}`, documents, description, ...sections].join('\n\n').concat('\n')
}

function section(call: Call, isEvent: boolean, { base, examples }: Shared): string {
  const { path, method, operation } = call
  const tables = tablesOf(operation)
    .filter(({ title }) => !isEvent || title === 'Body')
    .map(({ title, rows }) => table(title, rows))
  if (isEvent) return [`## ${path}: ${operation.summary}`, operation.description ?? '', ...tables].filter(Boolean).join('\n\n')
  const samples = samplesOf(base, call).map(({ mark, code }) => `\`\`\`${mark}\n${code}\n\`\`\``)
  const answered = answerOf(examples[operation.operationId])
  const answer = answered === null ? '' : `Answer (${answered.status}):\n\n\`\`\`json\n${answered.text}\n\`\`\``
  const statuses = statusesOf(operation).map(({ status, text }) => `- \`${status}\` ${text}`)
  return [
    `## ${operation.summary}`,
    `\`${method} ${path}\``,
    operation.description ?? '',
    ...samples,
    answer,
    ...tables,
    statuses.join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function table(title: string, rows: readonly Row[]): string {
  const lines = rows.map(({ name, required, schema }) => {
    const meaning = [required ? 'Required.' : '', schema.description ?? '', limitsOf(schema)].filter(Boolean).join(' ')
    return `| \`${name}\` | ${cell(kindOf(schema))} | ${cell(meaning)} |`
  })
  return [`| ${title} | Type | Meaning |`, '| --- | --- | --- |', ...lines].join('\n')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
