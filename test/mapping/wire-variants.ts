import type { Json } from '../../src/model/values/json.ts'

/** A wire record with one value replaced. */
export interface WireVariant {
  /** `account.balance[0].amount` */
  path: string
  wire: Json
}

type Step = string | number

const WORDS: readonly Json[] = ['', ' ', 'NOVEL', '-12.5', '0', '2026-02-28', 'x'.repeat(12)]
const NUMBERS: readonly Json[] = [0, -7.25, 3]

/**
 * The record with each of its values in turn absent, null and replaced by values of its type; `known` are the values of
 * other records at the same path, so that each word which a source uses meets each record.
 */
export function* wireVariants(wire: Json, known: ReadonlyMap<string, ReadonlySet<Json>>): Generator<WireVariant> {
  for (const { steps, value } of leavesOf(wire)) {
    const path = toPath(steps)
    const others = typeof value === 'string' ? WORDS : typeof value === 'number' ? NUMBERS : typeof value === 'boolean' ? [!value] : []
    const replacements = new Set<Json | undefined>([undefined, null, ...others, ...(known.get(shapeOf(steps)) ?? [])])
    for (const each of replacements) if (each !== value) yield { path, wire: replaceAt(wire, steps, each) }
  }
}

const MOST_VALUES = 8

/** By path without positions, the first values that these records have. */
export function valuesByPath(wires: readonly Json[]): Map<string, Set<Json>> {
  const known = new Map<string, Set<Json>>()
  for (const wire of wires) {
    for (const { steps, value } of leavesOf(wire)) {
      if (typeof value === 'object') continue
      const shape = shapeOf(steps)
      const values = known.get(shape) ?? new Set()
      if (values.size < MOST_VALUES) known.set(shape, values.add(value))
    }
  }
  return known
}

/** Texts, numbers, truth values and null; objects and lists too, which may be absent as a whole. */
function* leavesOf(value: Json, steps: readonly Step[] = []): Generator<{ steps: readonly Step[]; value: Json }> {
  if (steps.length > 0) yield { steps, value }
  if (Array.isArray(value)) for (const [at, each] of value.entries()) yield* leavesOf(each, [...steps, at])
  else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value)) yield* leavesOf(each, [...steps, name])
}

function replaceAt(value: Json, [step, ...rest]: readonly Step[], by: Json | undefined): Json {
  if (step === undefined) throw new Error('there is no step to a record itself')
  const next = (inner: Json): Json | undefined => (rest.length === 0 ? by : replaceAt(inner, rest, by))
  if (Array.isArray(value)) return value.flatMap((each, at) => (at === step ? listOf(next(each)) : [each]))
  if (typeof value !== 'object' || value === null) throw new Error('there is no such step')
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]) => (name === step ? listOf(next(each)).map((one) => [name, one]) : [[name, each]])),
  )
}

const listOf = (value: Json | undefined): Json[] => (value === undefined ? [] : [value])

function toPath(steps: readonly Step[]): string {
  return steps
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '')
}

function shapeOf(steps: readonly Step[]): string {
  return steps.map((step) => (typeof step === 'number' ? '[]' : step)).join('.')
}
