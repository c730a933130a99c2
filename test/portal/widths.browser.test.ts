import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { listWidthFlaws } from '../harness/widths.ts'
import { openReceiver, type Receiver } from '../journey/receiver.ts'
import { makeSights, type Sights } from './sights.ts'
import { openPortalStage, type PortalStage } from './stage.ts'

/** Beside the pages: dialogs. */
const DIALOGS: Sights = { 'add a company': '/companies?do=add', 'add a member': '/members?do=add', 'add an endpoint': '/webhooks?do=add' }

describe.skipIf(lacksBrowser)(`the portal fits every width${browserNote}`, () => {
  let stage: PortalStage
  let receiver: Receiver
  let sights: Sights

  beforeAll(async () => {
    stage = await openPortalStage()
    receiver = await openReceiver()
    sights = { ...(await makeSights(stage, `${receiver.url}/${'events-of-the-lending-desk/'.repeat(4)}`)), ...DIALOGS }
  }, 60_000)
  afterAll(async () => {
    await stage?.close()
    await receiver?.close()
  })

  it.each(['en-CA', 'fr-CA'])(
    'in %s no page scrolls sideways and no control is cut off, from 320 to 1,920 px',
    async (locale) => {
      const { page, context } = await stage.visit({ locale })
      const flaws: string[] = []
      for (const [name, path] of Object.entries(sights)) {
        await stage.go(page, path)
        flaws.push(...(await listWidthFlaws(page, name)))
      }
      await context.close()
      expect(flaws).toEqual([])
    },
    240_000,
  )
})
