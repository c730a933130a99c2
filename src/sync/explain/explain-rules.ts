import { RECORD_SCHEMAS } from '../../model/records/record-schemas.ts'
import type { RawRead } from './explain-reads.ts'

/** Rule from which a field's result follows. */
export interface FieldRule {
  kind: 'constant' | 'copied' | 'masked' | 'table' | 'unknownWord' | 'nothing' | 'computed' | 'engine'
  /** One plain sentence. */
  text: string
  /** Source text of the mapping function in the connector's `map.ts`; null for fields added by the engine. */
  code: string | null
}

/** Mapped fields with enum values of ours. */
const ENUM_FIELDS: ReadonlySet<string | null> = new Set(
  Object.values(RECORD_SCHEMAS)
    .flatMap((entities) => Object.values(entities))
    .flatMap(({ properties }) => properties.filter(({ kind }) => kind === 'enum').map(({ source }) => source)),
)
const MAX_CODE = 1_000

interface Applied {
  connector: string
  field: string
  result: unknown
  /** Masked for display. */
  reads: readonly RawRead[]
  /** Values that the mapping reported as unknown for this field. */
  unknownWords: readonly string[]
  code: string
}

/** Describes how a mapping function derived its result from what it read. */
export function describeRule(applied: Applied): FieldRule {
  return { ...sentence(applied), code: collapseWhitespace(applied.code) }
}

function sentence({ connector, field, result, reads, unknownWords }: Applied): Omit<FieldRule, 'code'> {
  const values = reads.filter((read) => read.found === 'value' && read.value !== null && read.value !== '')
  const shown = show(result)
  if (reads.length === 0) return { kind: 'constant', text: `${connector} records always have ${shown} here` }
  if (unknownWords.length > 0) {
    return {
      kind: 'unknownWord',
      text: `${connector} does not know ${unknownWords.map(quote).join(', ')}, so the least certain value ${shown} stands`,
    }
  }
  if (result === null || result === '') return { kind: 'nothing', text: `the source says nothing of it in ${pathsOf(reads)}` }
  if (typeof result === 'string' && result.startsWith('••••')) return { kind: 'masked', text: `the end of ${pathsOf(values)}` }
  if (ENUM_FIELDS.has(field)) {
    return {
      kind: 'table',
      text: `${field} table of ${connector}: ${values.map(({ value }) => quote(String(value))).join(', ') || 'nothing'} → ${shown}`,
    }
  }
  const copied = values.find(({ value }) => String(value) === String(result))
  if (copied) return { kind: 'copied', text: `${copied.path} as it is` }
  return { kind: 'computed', text: `worked out from ${pathsOf(values.length > 0 ? values : reads)}` }
}

function pathsOf(reads: readonly RawRead[]): string {
  const places = reads.slice(0, 5).map(({ path }) => path || 'the whole record')
  return reads.length > places.length ? `${places.join(', ')} and ${reads.length - places.length} more` : places.join(', ')
}

function show(result: unknown): string {
  if (typeof result === 'object' && result !== null) return Object.values(result).join('/')
  return result === '' ? 'an empty text' : String(result)
}

function quote(word: string): string {
  return JSON.stringify(word)
}

/** Type stripping leaves gaps in the code. */
function collapseWhitespace(code: string): string {
  const text = code.replace(/\s+/g, ' ').trim()
  return text.length > MAX_CODE ? `${text.slice(0, MAX_CODE)}…` : text
}
