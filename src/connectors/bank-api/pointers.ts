import type { Json } from '../../model/values/json.ts'

/** Segments of a JSON Pointer. Source: https://www.rfc-editor.org/rfc/rfc6901 */
export function partsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Value at the segments; undefined when there is none. Only own properties are read. */
export function valueAt(value: Json | undefined, parts: readonly string[]): Json | undefined {
  let place = value
  for (const part of parts) {
    if (typeof place !== 'object' || place === null) return undefined
    if (Array.isArray(place)) place = /^\d+$/.test(part) ? place[Number(part)] : undefined
    else place = Object.hasOwn(place, part) ? place[part] : undefined
  }
  return place
}

/** Replaces `{name}` with its value, unescaped; a name without a value is a fault of ours. */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{([^{}]*)\}/g, (_all, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`nothing stands for {${name}}`)
    return value
  })
}

/** `fill` for a path or a query: inserted values are escaped. */
export function fillPath(template: string, values: Readonly<Record<string, string>>): string {
  return fill(template, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, encodeURIComponent(value)])))
}
