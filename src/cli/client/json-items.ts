/**
 * Texts of the items of the list `data` in a JSON object, unparsed: parsing would shorten numbers with more digits than
 * a double holds. Null if there is no such list.
 */
export function splitItems(text: string): string[] | null {
  const start = /^\s*\{\s*"data"\s*:\s*\[/.exec(text)
  if (!start) return null
  const items: string[] = []
  let [depth, from, isText] = [0, start[0].length, false]
  for (let at = from; at < text.length; at += 1) {
    const character = text[at]
    if (isText) {
      if (character === '\\') at += 1
      else if (character === '"') isText = false
    } else if (character === '"') isText = true
    else if (character === '{' || character === '[') depth += 1
    else if (depth === 0 && (character === ',' || character === ']')) {
      const item = text.slice(from, at).trim()
      if (item !== '') items.push(item)
      if (character === ']') return items
      from = at + 1
    } else if (character === '}' || character === ']') depth -= 1
  }
  return null
}
