const HARD_SPACE = '\u00a0'

/** Spaces that no line may break at: before a colon, a percent or dollar sign, inside guillemets, as French is set in Québec. */
export function setFrench(text: string): string {
  return text.replace(/ (?=[:»%$])/g, HARD_SPACE).replace(/« /g, `«${HARD_SPACE}`)
}

/** A template of French text; what is put in is left as it is, a number stays with its unit. */
export function fr(strings: TemplateStringsArray, ...parts: (string | number)[]): string {
  return strings.map((text, index) => `${setFrench(afterNumber(text, parts[index - 1]))}${parts[index] ?? ''}`).join('')
}

function afterNumber(text: string, part: string | number | undefined): string {
  return typeof part === 'number' ? text.replace(/^ /, HARD_SPACE) : text
}
