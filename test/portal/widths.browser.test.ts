import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browserNote, lacksBrowser } from '../harness/browser.ts'
import { listWidthFlaws } from '../harness/widths.ts'
import { openReceiver, type Receiver } from '../journey/receiver.ts'
import { openPortalHarness, type PortalHarness } from './harness/portal-harness.ts'
import { fillScreens, type Screens } from './harness/screens.ts'

/** Dialogs, besides the pages. */
const DIALOGS: Screens = {
  'add a company': '/companies?do=add',
  'add a member': '/members?do=add',
  'create a key': '/api-keys?do=add',
  'add an endpoint': '/webhooks?do=add',
}

describe.skipIf(lacksBrowser)(`the portal fits every width${browserNote}`, () => {
  let harness: PortalHarness
  let receiver: Receiver
  let screens: Screens

  beforeAll(async () => {
    harness = await openPortalHarness()
    receiver = await openReceiver()
    screens = { ...(await fillScreens(harness, `${receiver.url}/${'events-of-the-lending-desk/'.repeat(4)}`)), ...DIALOGS }
  }, 60_000)
  afterAll(async () => {
    await harness?.close()
    await receiver?.close()
  })

  it.each(['en-CA', 'fr-CA'])(
    'in %s no page scrolls sideways and no control is clipped, from 320 to 1,920 px',
    async (locale) => {
      const { page, context } = await harness.visit({ locale })
      const flaws: string[] = []
      for (const [name, path] of Object.entries(screens)) {
        await harness.go(page, path)
        flaws.push(...(await listWidthFlaws(page, name)))
      }
      await context.close()
      expect(flaws).toEqual([])
    },
    240_000,
  )
})
