/** Tells on standard error what is going on; standard output is for the result. */
export function printProgress(line: string): void {
  process.stderr.write(`${line}\n`)
}
