const ERASE_LINE = '\r\x1b[2K'

/** Reason of an abort by SIGINT or SIGTERM. */
export class Stopped extends Error {
  constructor() {
    super('stopped')
  }
}

/** Reason of an abort because the reader of the output has closed it. */
class CutOutput extends Error {
  constructor() {
    super('the reader of the output has gone before its end')
  }
}

/**
 * Output of a command. A reader that closes the pipe, as `head` does, ends the command with exit code 1 and a message.
 */
export class Output {
  #isCut = false
  #onCut: ((reason: Error) => void) | null = null
  #hasProgress = false

  constructor() {
    process.stdout.on('error', (error: NodeJS.ErrnoException) => this.#cut(error))
    // Standard error was closed, so there is nowhere to report this.
    process.stderr.on('error', () => undefined)
  }

  say(line: string): void {
    this.#clear()
    process.stderr.write(`${line}\n`)
  }

  print(line: string): void {
    this.#clear()
    if (!this.#isCut) process.stdout.write(`${line}\n`)
  }

  progress(line: string): void {
    if (process.stderr.isTTY !== true) return
    process.stderr.write(`${ERASE_LINE}${line.slice(0, process.stderr.columns - 1)}`)
    this.#hasProgress = true
  }

  /** Called instead of ending the process when the reader has closed the output. */
  onCut(listener: (reason: Error) => void): void {
    this.#onCut = listener
  }

  /**
   * Ends the process once everything is written, since a failed command may have left handles open. Null: the process
   * ends by itself.
   */
  end(code: 0 | 1 | 2 | null): void {
    this.#clear()
    if (code === null) return
    const exit = (error?: Error | null) => {
      const isCut = this.#isCut || Boolean(error)
      // A result that nobody has read is a failure.
      if (isCut && code === 0) this.say(new CutOutput().message)
      process.stderr.write('', () => process.exit(isCut ? code || 1 : code))
    }
    if (this.#isCut) exit()
    else process.stdout.write('', exit)
  }

  #cut(error: NodeJS.ErrnoException): void {
    if (this.#isCut) return
    this.#isCut = true
    const reason = error.code === 'EPIPE' ? new CutOutput() : new Error(`standard output cannot be written: ${error.message}`)
    if (this.#onCut) {
      this.#onCut(reason)
      return
    }
    this.say(reason.message)
    process.stderr.write('', () => process.exit(1))
  }

  #clear(): void {
    if (this.#hasProgress) process.stderr.write(ERASE_LINE)
    this.#hasProgress = false
  }
}
