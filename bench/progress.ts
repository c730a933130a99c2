/** Tells on standard error what is going on; standard output is for the result. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
