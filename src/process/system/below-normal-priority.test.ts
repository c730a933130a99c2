import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { setGroupPriority } from './below-normal-priority.ts'

const MODULE = new URL('./below-normal-priority.ts', import.meta.url).href
const REPORT = `const { lowerPriority } = await import('${MODULE}')
const { readdirSync, readFileSync } = await import('node:fs')
const { getPriority } = await import('node:os')
const group = () => /nice (-?\\d+)/.exec(readFileSync('/proc/self/autogroup', 'utf8'))?.[1] ?? 'none'
const before = group()
lowerPriority()
const threads = readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)))
console.log(JSON.stringify({ threads: [...new Set(threads)], before, after: group() }))`

interface Report {
  threads: number[]
  /** Priority of the session's group; "none" where the session has none, as that of a container's first process. */
  before: string
  after: string
}

/** `detached` makes it the leader of a session, as a service manager does. */
async function report(detached: boolean): Promise<Report> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', REPORT], { detached, stdio: ['ignore', 'pipe', 'inherit'] })
  return JSON.parse(await text(child.stdout))
}

describe.runIf(existsSync('/proc/self/autogroup'))('the priority of a worker', () => {
  it('is lower for each of its threads, and for the session that it has to itself', async () => {
    expect(await report(true)).toMatchObject({ threads: [10], after: '10' })
  })

  it('leaves the session of a terminal as it is', async () => {
    const { threads, before, after } = await report(false)
    expect({ threads, after }).toEqual({ threads: [10], after: before })
  })
})

describe('the priority of a session', () => {
  const refusal = (code: string) => Object.assign(new Error(code), { code })

  it('is written again while the kernel changes that of others', async () => {
    const answers: (Error | null)[] = [refusal('EAGAIN'), refusal('EAGAIN'), null]
    const left = await new Promise<number>((resolve) => {
      setGroupPriority(
        () => {
          const answer = answers.shift()
          if (answer) throw answer
          resolve(answers.length)
        },
        20,
        0,
      )
    })
    expect(left).toBe(0)
  })

  it('is given up when the kernel refuses it', () => {
    let writes = 0
    setGroupPriority(() => {
      writes += 1
      throw refusal('EPERM')
    })
    expect(writes).toBe(1)
  })
})
