export type Fields = Record<string, unknown>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object under a name; empty if there is none. */
export function fieldsAt(body: unknown, name: string): Fields {
  const value = isFields(body) ? body[name] : null
  return isFields(value) ? value : {}
}

/** Parses a JSON body; null if it is invalid. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
