import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { beforeAll, describe, expect, it } from 'vitest'
import { openForTests } from '../../../test/harness/for-tests.ts'
import { testApi } from '../../../test/harness/test-api.ts'

const MAX_BYTES = 250_000

describe.each(['/admin/api/openapi.json', '/admin/api/administration.json', '/operator/api/openapi.json'])('the document %s', (url) => {
  const api = openForTests(testApi)
  let text = ''
  beforeAll(async () => {
    text = (await api.app.inject({ url })).body
  })

  it('has no fault and no warning by the recommended rules of redocly', async () => {
    expect(await redoclyFaults(text)).toEqual([])
    const faults = await redoclyFaults(text.replaceAll('"operationId"', '"operation"'))
    expect(faults.length).toBeGreaterThan(0)
  }, 60_000)

  it('has no fault and no warning by the recommended rules of spectral', async () => {
    expect(await spectralFaults(text)).toEqual([])
    expect((await spectralFaults(text.replaceAll('"operationId"', '"operation"'))).length).toBeGreaterThan(0)
  }, 60_000)

  it('is small enough to be read by a program that has little room', () => {
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_BYTES)
  })
})

async function redoclyFaults(source: string): Promise<string[]> {
  const found = await lintFromString({ source, config: await createConfig({ extends: ['recommended'] }) })
  return found.map(({ severity, ruleId, message, location }) => `${severity} ${ruleId}: ${message} ${location[0]?.pointer}`)
}

async function spectralFaults(source: string): Promise<string[]> {
  const linter = new spectral.Spectral()
  // Its declared type asks for members that a rule set without an ancestor has not.
  linter.setRuleset({ extends: [[{ extends: [], ...rulesets.oas }, 'recommended']] })
  const found = await linter.run(JSON.parse(source))
  return found.map(({ code, message, path }) => `${code}: ${message} ${path.join('/')}`)
}
