import { describe, expect, it } from 'vitest'
import type { Lane } from '../store/jobs/jobs.ts'
import { nextLaneCursor } from './round-robin.ts'

const lane = (instanceId: string, provider = ''): Lane => ({ instanceId, provider })

describe('the lane behind which the next claim continues', () => {
  it.each<[string, Lane[], Lane | null, Lane | null]>([
    ['nothing was claimed, ever', [], null, null],
    ['nothing was claimed', [], lane('b', 'xero'), lane('b', 'xero')],
    ['the first claim took from some', [lane('b'), lane('c'), lane('a')], null, lane('c')],
    ['a claim went on behind the cursor', [lane('d'), lane('c')], lane('b'), lane('d')],
    ['a claim went round the end of the ring', [lane('c'), lane('a'), lane('b')], lane('b'), lane('b')],
    ['a claim went round, and stopped before the cursor', [lane('d'), lane('a')], lane('c'), lane('a')],
    ['a claim came back to the lane of the cursor itself', [lane('b')], lane('b'), lane('b')],
    ['providers of one instance', [lane('a', 'xero'), lane('a', 'odoo')], null, lane('a', 'xero')],
    ['providers behind the cursor', [lane('a', 'sage')], lane('a', 'odoo'), lane('a', 'sage')],
    ['providers before the cursor', [lane('a', 'odoo'), lane('b', 'odoo')], lane('a', 'sage'), lane('a', 'odoo')],
    ['the instance counts before the provider', [lane('a', 'xero'), lane('b', 'odoo')], null, lane('b', 'odoo')],
    ['in byte order', [lane('a', 'a'), lane('a', 'Z')], null, lane('a', 'a')],
  ])('when %s', (_when, claimed, cursor, next) => {
    expect(nextLaneCursor(claimed, cursor)).toEqual(next)
    expect(nextLaneCursor(claimed.toReversed(), cursor)).toEqual(next)
  })
})
