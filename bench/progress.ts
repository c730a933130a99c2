/** Prints progress to standard error; standard output is for the result. */
export function printProgress(line: string): void {
  process.stderr.write(`${line}\n`)
}
