import { afterEach, describe, expect, it } from 'vitest'
import { Agents } from './agents.ts'

let agents: Agents
afterEach(() => agents.destroy())

const identity = (name: string, privateKey = 'key') => ({ certificate: name, privateKey })

function open(): Agents {
  agents = new Agents({ reach: 'private', lookup: async () => [], timeoutMs: 1_000 })
  return agents
}

describe('socket pools', () => {
  it('are one for requests without an identity, and one for each pair of certificate and key', () => {
    const get = agentsOf(open())
    const [own, other, otherKey] = [get(identity('a')), get(identity('b')), get(identity('a', 'another'))]
    expect(get(identity('a'))).toBe(own)
    expect(get(undefined)).toBe(get(undefined))
    expect(new Set([own, other, otherKey, get(undefined)]).size).toBe(4)
  })

  it('are kept for the fifty identities used last, and closed for others', () => {
    const get = agentsOf(open())
    const first = get(identity('0'))
    const second = get(identity('1'))
    for (let count = 2; count < 50; count += 1) get(identity(String(count)))
    expect([get(identity('0')) === first, first.closed, second.closed]).toEqual([true, false, false])
    get(identity('50'))
    expect([get(identity('0')) === first, first.closed, second.closed]).toEqual([true, false, true])
    expect(get(identity('1'))).not.toBe(second)
  })

  it('are all destroyed at the end', async () => {
    const get = agentsOf(open())
    const all = [get(undefined), get(identity('a')), get(identity('b'))]
    await agents.destroy()
    expect(all.map(({ destroyed }) => destroyed)).toEqual([true, true, true])
  })
})

function agentsOf(opened: Agents): Agents['get'] {
  return (wanted) => opened.get(wanted)
}
