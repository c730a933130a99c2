import { describe, expect, it } from 'vitest'
import { openForTests } from './harness/for-tests.ts'

const steps: string[] = []

class Part {
  readonly #name: string
  constructor(name: string) {
    this.#name = name
    steps.push(`open ${name}`)
  }
  readName(): string {
    return this.#name
  }
  close(): void {
    steps.push(`close ${this.#name}`)
  }
}

describe('parts of a describe', () => {
  const first = openForTests(() => new Part('first'))
  const second = openForTests(async () => new Part(`second, of ${first.readName()}`))
  it('are open in its tests, in the order in which they are named', () => {
    expect(steps).toEqual(['open first', 'open second, of first'])
    expect([first instanceof Part, second.readName()]).toEqual([true, 'second, of first'])
  })
})

it('they are closed after it, the last one first', () => {
  expect(steps.slice(2)).toEqual(['close second, of first', 'close first'])
})

const late = openForTests(() => ({ value: 1 }))
const early = (() => {
  try {
    return late.value
  } catch (error) {
    return error
  }
})()

it('what is not open yet says so', () => {
  expect([String(early), late.value]).toEqual(['Error: not open: used outside of hooks and tests, or could not be opened', 1])
})
