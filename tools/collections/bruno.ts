import { type CollectionRequest, type Folder, listVariables, printSentQuery, VARIABLES } from './requests.ts'

/** A collection of Bruno: its files, by path in the folder. */
export function toBruno(folders: readonly Folder[]): Map<string, string> {
  const unset = ['token', 'refreshToken', ...listVariables(folders)]
  const files = new Map([
    ['bruno.json', `${JSON.stringify({ version: '1', name: 'Countinghouse', type: 'collection', ignore: [] }, null, 2)}\n`],
    ['collection.bru', `${block('auth', ['mode: bearer'])}\n${block('auth:bearer', ['token: {{token}}'])}`],
    [
      'environments/local.bru',
      block(
        'vars',
        [...Object.entries(VARIABLES), ...unset.map((name) => [name, ''])].map(([name, value]) => `${name}: ${value}`),
      ),
    ],
  ])
  for (const [index, { name, requests }] of folders.entries()) {
    files.set(`${name}/folder.bru`, block('meta', [`name: ${name}`, `seq: ${index + 1}`]))
    for (const [at, request] of requests.entries()) files.set(`${name}/${request.id}.bru`, toFile(request, at + 1))
  }
  return files
}

function toFile({ name, method, path, query, body, hasToken, keeps, description }: CollectionRequest, seq: number): string {
  const sets = Object.entries(keeps).map(([variable, value]) => `  bru.setVar('${variable}', ${value} ?? '')`)
  return [
    block('meta', [`name: ${name}`, 'type: http', `seq: ${seq}`]),
    block(method.toLowerCase(), [
      `url: {{baseUrl}}${path}${printSentQuery(query)}`,
      `body: ${body === null ? 'none' : 'json'}`,
      `auth: ${hasToken ? 'inherit' : 'none'}`,
    ]),
    ...(query.length === 0
      ? []
      : [
          block(
            'params:query',
            query.map(({ name, value, isSent }) => `${isSent ? '' : '~'}${name}: ${value}`),
          ),
        ]),
    ...(body === null ? [] : [block('body:json', body.split('\n'))]),
    ...(sets.length === 0 ? [] : [block('script:post-response', ['if (res.status < 300) {', '  const body = res.body', ...sets, '}'])]),
    block('docs', description.split('\n')),
  ].join('\n')
}

function block(name: string, lines: readonly string[]): string {
  return `${name} {\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n}\n`
}
