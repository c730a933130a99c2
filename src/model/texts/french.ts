const HARD_SPACE = '\u00a0'

/** Non-breaking spaces of Québec typography: before a colon, a percent or dollar sign, inside guillemets. */
export function setFrench(text: string): string {
  return text.replace(/ (?=[:»%$])/g, HARD_SPACE).replace(/« /g, `«${HARD_SPACE}`)
}

/** Template tag for French text; inserted values stay unchanged, a number stays with its unit. */
export function fr(strings: TemplateStringsArray, ...parts: (string | number)[]): string {
  return strings.map((text, index) => `${setFrench(afterNumber(text, parts[index - 1]))}${parts[index] ?? ''}`).join('')
}

function afterNumber(text: string, part: string | number | undefined): string {
  return typeof part === 'number' ? text.replace(/^ /, HARD_SPACE) : text
}
