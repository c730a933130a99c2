export interface ReusingRunnerOptions {
  root: string
  /** Test files of each file with mutants, nearest first, relative to `root`. */
  testsOf: Readonly<Record<string, readonly string[]>>
  /** Judges each mutant in a new process. */
  isAlwaysNew?: boolean
  /** A test file that takes longer without a mutant judges none: each mutant that it reaches would take as long. */
  slowestMs?: number
  /** How many processes want each processor, 1 at least: all limits are that many times as long. By default 1. */
  busyness?(): number
  /** Whether no test can notice a mutant: none is run then. By default each is judged. */
  isEquivalent?(mutant: { file: string; line: number; replacement: string }): boolean
  /** Is told of each test file that judges none, with the reason: a message of a test, or its time. */
  reportFailing(file: string, message: string): void
  /** Is told how long each test file took without a mutant; of one that was too slow, how long it was waited for. */
  reportDuration?(file: string, durationMs: number): void
}
