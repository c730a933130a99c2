import { describe, expect, it } from 'vitest'
import { prefersNdjson, toLines } from './ndjson.ts'

describe('NDJSON', () => {
  it.each([
    'application/x-ndjson',
    'Application/X-NDJSON',
    'application/x-ndjson; charset=utf-8',
    'application/x-ndjson, */*',
    'application/x-ndjson, application/json;q=0.9',
    'text/html, application/x-ndjson;q=0.5, */*;q=0.1',
    'application/x-ndjson;q=0.125',
    'application/x-ndjson;q=1.000, application/json;q=0.999',
    'application/x-ndjson ; Q=0.5 , application/json;q=0',
    'application/x-ndjson;q=0.5, application/*;q=0.5, */*',
    'application/x-ndjson;q=0.5, */*;q=0.5',
    ';q=1, application/x-ndjson',
  ])('is the answer to %s', (accept) => expect(prefersNdjson(accept)).toBe(true))

  it.each([
    undefined,
    '',
    '*/*',
    'application/*',
    'application/json',
    'application/json, application/x-ndjson',
    'application/json, application/x-ndjson;q=0.9',
    'application/x-ndjson;q=0',
    'application/x-ndjson;q=0, */*',
    'application/x-ndjson;q=high',
    'application/x-ndjson;q=0.1234',
    'application/x-ndjson;q=1.0000',
    'application/x-ndjson;q=1.5',
    'application/x-ndjson;q=10',
    'application/x-ndjson;q=00.5',
    'application/x-ndjson;q=-1',
    'application/x-ndjson;q=0.5x',
    'application/x-ndjson;q=',
    'application/x-ndjson;q=0.5, application/*;q=0.6, */*;q=0.1',
    'application/json;q=0.5, application/x-ndjson;q=0.5',
    'application/x-ndjson;q=0.5, */*',
    'application/x-ndjsonl',
  ])('is not the answer to %s', (accept) => expect(prefersNdjson(accept)).toBe(false))

  it('has one document a line', () => {
    expect(toLines([Buffer.from('{"a":1}'), Buffer.from('{"b":"é"}')]).toString()).toBe('{"a":1}\n{"b":"é"}\n')
    expect(toLines([]).length).toBe(0)
  })
})
