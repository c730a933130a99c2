import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { DENTIST, openHarness } from '../connectors/xero/harness.ts'
import { openForTests } from '../harness/for-tests.ts'

const DOCUMENT = fileURLToPath(new URL('../../../shared/specs/accounting/xero-webhooks.yaml', import.meta.url))

describe.skipIf(!existsSync(DOCUMENT))(
  'the simulator’s webhooks, checked against Xero’s document (skipped without ../shared/specs/accounting)',
  () => {
    const harness = openForTests(openHarness)
    let isEvent: ValidateFunction
    let isCreditNote: ValidateFunction
    const received: unknown[] = []
    const receiver = createServer(async (request, response) => {
      received.push(await json(request))
      response.writeHead(200).end()
    })

    beforeAll(async () => {
      await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
      const { port } = receiver.address() as AddressInfo
      const target = { url: `http://127.0.0.1:${port}`, key: 'k' }
      for (const category of ['INVOICE', 'CONTACT', 'CREDITNOTE'] as const) {
        await harness.simulator.webhooks.fire(target, DENTIST, [
          { category, type: 'CREATE' },
          { category, type: 'UPDATE' },
        ])
      }
      // Its own example has an instant without a time zone, which RFC 3339 does not allow.
      const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/ } })
      addFormats.default(ajv, { formats: ['uuid', 'uri'] })
      ajv.addSchema(JSON.parse(JSON.stringify(parse(readFileSync(DOCUMENT, 'utf8')))), 'document')
      isEvent = ajv.compile({ $ref: 'document#/components/schemas/WebhookEvent' })
      isCreditNote = ajv.compile({ $ref: 'document#/components/schemas/CreditNoteWebhookEvent' })
    })
    afterAll(() => {
      receiver.close()
    })

    test('are events of the document', () => {
      const problems = received.map((body) => (isEvent(body) ? null : isEvent.errors))
      expect(problems).toEqual([null, null, null])
    })

    test('are credit notes of the document if they say so', () => {
      expect(received.map((body) => isCreditNote(body))).toEqual([false, false, true])
    })

    test('are really checked: an unknown enum value is detected', () => {
      const changed = JSON.parse(JSON.stringify(received[0]).replaceAll('"UPDATE"', '"CHANGE"'))
      expect([isEvent(received[0]), isEvent(changed)]).toEqual([true, false])
    })
  },
)
