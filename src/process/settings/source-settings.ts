import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Check, Errors } from 'typebox/value'

const Shape = Type.Record(
  Type.String(),
  Type.Object(
    {
      app: Type.Optional(Type.Record(Type.String(), Type.String())),
      hosts: Type.Optional(Type.Record(Type.String(), Type.String())),
      callback: Type.Optional(Type.Union([Type.Literal('own'), Type.Literal('shared')])),
      limits: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 0, maximum: 1_000_000_000 }))),
    },
    { additionalProperties: false },
  ),
)

/** Keys and limits of a source. */
interface SourceKeys {
  key: string
  appKeys: readonly string[]
  optionalAppKeys?: readonly string[]
  limits?: readonly { name: string }[]
}

/**
 * Operator's keys by connector key, from `sources.json` in the data directory: `{"quickbooks": {"app": {"clientId":
 * "…", "clientSecret": "…"}, "limits": {"month": 500000}}}`. Without the file there are no keys. Throws on another form,
 * an unknown source, key or limit, and with `requireTls` on a host without https; the message never contains a value.
 */
export async function readSourceSettings(
  dataDir: string,
  sources: readonly SourceKeys[],
  { requireTls = false }: { requireTls?: boolean } = {},
): Promise<Static<typeof Shape>> {
  const path = join(dataDir, 'sources.json')
  if (!existsSync(path)) return {}
  let settings: unknown
  try {
    settings = JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    throw new Error(`${path} is not JSON`, { cause: cause instanceof SyntaxError ? undefined : cause })
  }
  if (!Check(Shape, settings)) {
    const [first] = Errors(Shape, settings)
    throw new Error(`${path}: ${first?.instancePath || 'the file'} ${first?.message ?? 'has another form than expected'}`)
  }
  for (const [key, { app = {}, hosts = {}, limits = {} }] of Object.entries(settings)) {
    checkKeys(path, key, Object.keys(app), sources)
    checkLimits(path, key, Object.keys(limits), sources)
    if (requireTls) checkHosts(path, key, hosts)
  }
  return settings
}

function checkKeys(path: string, key: string, names: readonly string[], sources: readonly SourceKeys[]): void {
  const source = sources.find((each) => each.key === key)
  if (!source) throw new Error(`${path}: there is no source "${key}"; known are ${sources.map((each) => each.key).join(', ')}`)
  const known = [...source.appKeys, ...(source.optionalAppKeys ?? [])]
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new Error(`${path}: ${key} has no key "${unknown}"; ${known.length > 0 ? `known are ${known.join(', ')}` : 'it takes none'}`)
}

function checkHosts(path: string, key: string, hosts: Readonly<Record<string, string>>): void {
  const plain = Object.keys(hosts).find((name) => !/^https:/i.test(hosts[name] ?? ''))
  if (plain !== undefined)
    throw new Error(`${path}: the host "${plain}" of ${key} is not an https address; REQUIRE_TLS does not allow that`)
}

function checkLimits(path: string, key: string, names: readonly string[], sources: readonly SourceKeys[]): void {
  const known = (sources.find((each) => each.key === key)?.limits ?? []).map((limit) => limit.name)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new Error(`${path}: ${key} has no limit "${unknown}"; ${known.length > 0 ? `known are ${known.join(', ')}` : 'it has none'}`)
}
