/** A colon, a percent sign and guillemets keep to the words beside them, as French is set in Québec. */
export function setFrench(text: string): string {
  return text.replace(/ (?=[:»%$])/g, '\u00a0').replace(/« /g, '«\u00a0')
}
