import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { listAppKeyNames } from '../../src/connectors/contract/app-keys.ts'
import type { Connector, ConnectorDescription, Kit } from '../../src/connectors/contract/contract.ts'
import type { SourceLimit } from '../../src/connectors/contract/limits.ts'
import { toCallbackAddress } from '../../src/model/callback-address.ts'
import { type Documented, GENERATED, toTable } from './write-docs-mapping.ts'

export const SOURCE_KEYS = 'docs/source-keys.md'

const CONNECTORS = resolve(import.meta.dirname, '../../src/connectors')
/** Address of one source; the shared one is without the key. */
const callbackOf = (key: string) => toCallbackAddress('BASE_URL', key)

/**
 * docs/source-keys.md: where an app is registered at each source and what is set, from the connectors’ declarations and
 * the part “Keys” of their READMEs. Throws for a README that lacks that part, or a key in it.
 */
export async function describeSourceKeys(documented: readonly Documented[]): Promise<string> {
  const sections = await Promise.all(documented.map(describe))
  return `${GENERATED}
# Keys of each source

${INTRODUCTION}

${sections.join('\n')}`
}

const INTRODUCTION = `Most providers want to know the app that reads data: you register it with them, and they give it keys. A key is set in one
of two places:

- for one instance, in the portal (“Sources”) or by \`PUT /sources/{sourceKey}/keys\`; keys are tried before they are kept
- for the whole deployment, in \`DATA_DIR/sources.json\` (mode 0600), which is read at the start

\`BASE_URL\` below is the address of the deployment. Each source has a callback address of its own; enter it
exactly as written: providers compare it letter by letter. \`GET /sources\` and the portal show the addresses of your
deployment, ready to be copied.

Apps from before may have \`${toCallbackAddress('BASE_URL', null)}\` registered, which all sources share. It works on for keys that were set
in the portal then, and for members of \`sources.json\` without \`callback\`. Register the source’s own address as well,
then switch to it in the portal (\`callback\` of \`PUT /sources/{sourceKey}/keys\`), or with \`"callback": "own"\` in
\`sources.json\`: a code of one source cannot be passed off as one of another then
([RFC 9700](https://www.rfc-editor.org/rfc/rfc9700#section-4.4.2)).

\`sources.json\` has one member for each source. \`app\` holds its keys, \`hosts\` other addresses than the usual ones, such
as those of a provider’s own test system, \`callback\` which callback address is registered, and \`limits\` other numbers of calls than the ones below; 0 removes a limit. In
the sandbox, a source without keys is served by its simulator; one whose keys are set leaves the sandbox.`

async function describe({ description, connector }: Documented): Promise<string> {
  const { key, name, appKeys, hosts, limits = [] } = description
  const rows = [
    ...(needsCallback(description) ? [['callback address', `\`${callbackOf(key)}\``]] : []),
    ...(await scopeRows(description, connector)),
    ...webhookRows(description, connector),
    ...(Object.keys(hosts).length > 0 ? [['hosts', listPairs(Object.entries(hosts))]] : []),
    ...(limits.length > 0 ? [['limits', listPairs(limits.map((limit) => [limit.name, sayLimit(limit)]))]] : []),
  ]
  const app = Object.fromEntries(appKeys.map((each) => [each, '…']))
  const settings =
    appKeys.length === 0
      ? []
      : [`\`\`\`json\n${JSON.stringify({ [key]: { app, ...(needsCallback(description) ? { callback: 'own' } : {}) } }, null, 2)}\n\`\`\``]
  const table = rows.length === 0 ? [] : [toTable(['setting', 'value'], rows)]
  return [`## ${name}`, readKeysText(description), ...table, ...settings].join('\n\n').concat('\n')
}

/** The part “Keys” of the connector’s README; it has to name every key that the connector declares. */
function readKeysText({ key, folder = key, appKeys, optionalAppKeys = [] }: ConnectorDescription): string {
  const file = `src/connectors/${folder}/README.md`
  const readme = readFileSync(join(CONNECTORS, folder, 'README.md'), 'utf8')
  const [, section] = /^## Keys\n\n([\s\S]*?)(?=^## )/m.exec(readme) ?? []
  const [, paragraph] = /^\*\*Keys\.\*\* ([\s\S]*?)\n\n/m.exec(readme) ?? []
  const text = (section ?? paragraph)?.trim()
  if (text === undefined) throw new Error(`${file} has no part “## Keys” or “**Keys.**”`)
  const missing = listAppKeyNames({ appKeys, optionalAppKeys }).filter((each) => !text.includes(`\`${each.name}\``))
  if (missing.length > 0) throw new Error(`${file} does not say what these keys are: ${missing.map((each) => each.name).join(', ')}`)
  return text.replaceAll('our callback address', 'the callback address below')
}

function needsCallback({ link, appKeys }: ConnectorDescription): boolean {
  return link === 'redirect' && appKeys.length > 0
}

/** What the connector asks for, as in the address to which it sends the owner. */
async function scopeRows(description: ConnectorDescription, { authorize }: Connector): Promise<string[][]> {
  if (authorize.step !== 'redirect') return []
  const request = {
    callbackUrl: callbackOf(description.key),
    state: 'state',
    locale: 'en' as const,
    webhookUrl: 'BASE_URL/hooks',
    companyId: 'company',
  }
  const started = await authorize.start(silentKit(description), request).catch(() => null)
  const scope = started && URL.canParse(started.url) ? new URL(started.url).searchParams.get('scope') : null
  if (!scope) return []
  const scopes = scope.split(/[ ,]/).map((each) => `\`${each}\``)
  return [['scopes asked for', scopes.join(', ')]]
}

/** A kit that makes no calls: sources that have to be called first are described without scopes. */
function silentKit({ appKeys, hosts }: ConnectorDescription): Kit {
  return {
    http: () => Promise.reject(new Error('nobody is called')),
    app: Object.fromEntries(appKeys.map((each) => [each, 'key'])),
    hosts,
    now: () => new Date(0),
  }
}

function webhookRows({ key, unsignedWebhooks }: ConnectorDescription, connector: Connector): string[][] {
  if (!connector.readWebhook) return []
  const address = `\`BASE_URL/hooks/${key}\``
  return [
    [
      'webhook address',
      unsignedWebhooks ? `given with each request, or by \`countinghouse webhook-address\`: ${address} with a secret part` : address,
    ],
  ]
}

function listPairs(pairs: readonly (readonly [string, string])[]): string {
  return pairs.map(([name, value]) => `\`${name}\`: ${value}`).join('<br>')
}

function sayLimit(limit: SourceLimit): string {
  const of = limit.scope === 'app' ? 'for all calls' : 'for each company'
  if (!('calls' in limit)) return `${limit.concurrent} at a time ${of}`
  return `${limit.calls.toLocaleString('en')} calls in ${sayTime(limit.perMs)} ${of}`
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

function sayTime(timeMs: number): string {
  const [unit, lengthMs] = UNITS.find(([, length]) => timeMs % length === 0) ?? UNITS[3]
  const count = timeMs / lengthMs
  return count === 1 ? `a ${unit}`.replace('a hour', 'an hour') : `${count} ${unit}s`
}
