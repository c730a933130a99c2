import { parseJsonOrNull } from '../../model/values/json.ts'
import type { Secret } from '../../model/values/secret.ts'
import { type KeyFile, parseKey } from './key-files.ts'

/** Keys that are kept elsewhere than in DATA_DIR, such as in a vault. */
export interface KeysElsewhere {
  /** For messages: the setting that names them. */
  name: string
  /** All keys, oldest first. Throws when they cannot be read or are damaged. */
  read(): KeyFile[]
}

/** A vault is asked again at most this often. */
const READ_EVERY_MS = 60_000

/**
 * Keys from a text: a JSON array of the documents that `DATA_DIR/keys` would hold. Read again after a minute;
 * throws when they cannot be read then, and returns the known ones for the next minute.
 */
export function keysElsewhere(name: string, readText: () => Secret): KeysElsewhere {
  let known: { keys: KeyFile[]; readAtMs: number } | null = null
  return {
    name,
    read: () => {
      if (known && performance.now() - known.readAtMs < READ_EVERY_MS) return known.keys
      try {
        known = { keys: parseKeys(name, readText()), readAtMs: performance.now() }
      } catch (error) {
        if (known) known.readAtMs = performance.now()
        throw error
      }
      return known.keys
    },
  }
}

function parseKeys(name: string, text: Secret): KeyFile[] {
  const documents = parseJsonOrNull(text.reveal())
  if (!Array.isArray(documents)) throw new Error(`${name}: not a JSON array of the files that DATA_DIR/keys holds`)
  const keys = documents.map((document) => parseKey(JSON.stringify(document)))
  const damaged = keys.indexOf(null)
  if (damaged !== -1) throw new Error(`${name}: key ${damaged + 1} of ${keys.length} is damaged`)
  return keys.filter((key) => key !== null).sort((a, b) => a.number - b.number)
}
