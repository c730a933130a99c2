import { describe, expect, it } from 'vitest'
import { rankServers } from './rank-servers.ts'

const servers = ['one:5432', 'two:5432', 'three:5432', 'four:5432'].map((name) => ({ name }))
const keys = Array.from({ length: 4_000 }, (_, at) => `session ${at}`)
const firstOf = (key: string, among = servers): string => rankServers(key, among)[0]?.name ?? ''

describe('the rank of servers for a key', () => {
  it('is the same in every process, in whatever order the setting names them', () => {
    for (const key of keys.slice(0, 100)) expect(rankServers(key, servers.toReversed())).toEqual(rankServers(key, servers))
  })

  it('has all servers, and each first for its share of keys', () => {
    expect(new Set(rankServers('any', servers))).toEqual(new Set(servers))
    for (const { name } of servers) {
      const share = keys.filter((key) => firstOf(key) === name).length / keys.length
      expect(share, name).toBeGreaterThan(0.2)
      expect(share, name).toBeLessThan(0.3)
    }
  })

  it('moves only the keys of a server that is lost', () => {
    const left = servers.filter(({ name }) => name !== 'two:5432')
    for (const key of keys) expect(firstOf(key, left)).toBe(firstOf(key) === 'two:5432' ? rankServers(key, servers)[1]?.name : firstOf(key))
  })
})
