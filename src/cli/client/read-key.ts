import { text } from 'node:stream/consumers'
import { UsageError } from '../command/command.ts'

const [CTRL_C, CTRL_D, BACKSPACE, DELETE] = ['\x03', '\x04', '\b', '\x7f']

/**
 * Reads an API key from standard input: prompts on a terminal, without showing it; otherwise reads the whole input.
 * Never from the arguments, which other users of the machine can see in the process list.
 */
export async function readKey(question: string): Promise<string> {
  const key = (process.stdin.isTTY ? await ask(question) : await text(process.stdin)).trim()
  if (key === '') throw new UsageError('no API key was given: type it, pipe it to standard input, or set COUNTINGHOUSE_API_KEY')
  return key
}

async function ask(question: string): Promise<string> {
  const { stdin, stderr } = process
  stderr.write(question)
  stdin.setRawMode(true).setEncoding('utf8').resume()
  let typed = ''
  try {
    for await (const chunk of stdin.iterator({ destroyOnReturn: false })) {
      for (const character of String(chunk)) {
        if (character === '\r' || character === '\n' || character === CTRL_D) return typed
        if (character === CTRL_C) throw new Error('stopped; nothing was stored')
        if (character === BACKSPACE || character === DELETE) typed = typed.slice(0, -1)
        else typed += character
      }
    }
    return typed
  } finally {
    stdin.setRawMode(false).pause()
    stderr.write('\n')
  }
}
