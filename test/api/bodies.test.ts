import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openForTests } from '../harness/for-tests.ts'
import { openApiHarness } from './harness.ts'

const api = openForTests(openApiHarness)

it('no update accepts a body that changes nothing', async () => {
  const changes = api.operations.filter(({ method, operation }) => ['PUT', 'PATCH'].includes(method) && operation.requestBody)
  const taken: string[] = []
  for (const { method, path } of changes) {
    const { statusCode } = await api.call(method, path.replace('/admin/api/v1', '').replace(/\{[^}]+\}/g, randomUUID()), { body: {} })
    if (statusCode !== 400) taken.push(`${path}: ${statusCode}`)
  }
  expect([changes.length > 8, taken]).toEqual([true, []])
})

describe('a subscription', () => {
  it.each(['https:www.example.com', 'https:/www.example.com', 'https:///www.example.com'])('is not created for %s', async (callbackUrl) => {
    const made = await api.call('POST', '/webhooks/subscriptions/NormalizedData', { body: { callbackUrl } })
    expect([made.statusCode, made.json()]).toMatchObject([400, { errors: [{ field: 'callbackUrl' }] }])
  })

  it('keeps properties that an update omits', async () => {
    const made = await api.call('POST', '/webhooks/subscriptions/NormalizedData', { body: { callbackUrl: 'https://hooks.example.com/a' } })
    const { id = '' }: { id?: string } = made.json()
    const changed = await api.call('PUT', `/webhooks/subscriptions/${id}`, { body: { event: 'RawData' } })
    expect([changed.statusCode, changed.json()]).toMatchObject([200, { event: 'RawData', callbackUrl: 'https://hooks.example.com/a' }])
    expect((await api.call('PUT', `/webhooks/subscriptions/${id}`, { body: {} })).json()).toMatchObject({
      errors: [{ field: 'body', message: 'needs at least one property' }],
    })
  })
})
