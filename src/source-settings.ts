import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from 'typebox'
import { Check, Errors } from 'typebox/value'

const Shape = Type.Record(
  Type.String(),
  Type.Object(
    { app: Type.Optional(Type.Record(Type.String(), Type.String())), hosts: Type.Optional(Type.Record(Type.String(), Type.String())) },
    { additionalProperties: false },
  ),
)

/**
 * The operator's keys by connector key, from `sources.json` in the data directory:
 * `{"quickbooks": {"app": {"clientId": "…", "clientSecret": "…"}}}`. No file means no keys. Throws when it is not of this form or names an
 * unknown source; the message never shows a value.
 */
export async function readSourceSettings(dataDir: string, known: readonly string[]): Promise<Static<typeof Shape>> {
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
  const unknown = Object.keys(settings).find((key) => !known.includes(key))
  if (unknown !== undefined) throw new Error(`${path}: there is no source "${unknown}"; known are ${known.join(', ')}`)
  return settings
}
