export type Fields = Record<string, unknown>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object under a name; empty when there is none. */
export function fieldsAt(body: unknown, name: string): Fields {
  const value = isFields(body) ? body[name] : null
  return isFields(value) ? value : {}
}

/** A body as JSON; null for one that is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
