import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'

const MODULE = new URL('./below-normal-priority.ts', import.meta.url).href
const REPORT = `const { lowerPriority } = await import('${MODULE}')
const { readdirSync, readFileSync } = await import('node:fs')
const { getPriority } = await import('node:os')
lowerPriority()
const threads = readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)))
const group = /nice (-?\\d+)/.exec(readFileSync('/proc/self/autogroup', 'utf8'))?.[1]
console.log(JSON.stringify({ threads: [...new Set(threads)], group: Number(group) }))`

/** `detached` makes it the leader of a session, as a service manager does. */
async function report(detached: boolean): Promise<unknown> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', REPORT], { detached, stdio: ['ignore', 'pipe', 'inherit'] })
  return JSON.parse(await text(child.stdout))
}

describe.runIf(existsSync('/proc/self/autogroup'))('the priority of a worker', () => {
  it('is lower for each of its threads, and for the session that it has to itself', async () => {
    expect(await report(true)).toEqual({ threads: [10], group: 10 })
  })

  it('leaves the session of a terminal as it is', async () => {
    expect(await report(false)).toEqual({ threads: [10], group: 0 })
  })
})
