import { fileURLToPath } from 'node:url'
import type { OwnerBrowser } from './owner-browser.ts'

/** A statement of one bank account with two entries. */
export const STATEMENT = fileURLToPath(new URL('./fixtures/credit-union.ofx', import.meta.url))
/** As written in the statement; it must not appear anywhere afterwards. */
export const STATEMENT_ACCOUNT = '660193352817'

const OWN_FORM = 'form[method=post] button'

/** The owner's steps from the link to the page that says it is done. `toLogin` stops where the source itself asks. */
export interface Walk {
  toLogin(owner: OwnerBrowser, link: string): Promise<void>
  throughSource(owner: OwnerBrowser): Promise<void>
}

export const quickbooksWalk: Walk = {
  toLogin: async (owner, link) => {
    await owner.open(link)
    await owner.click('button[value=agree]', /\/connect\/source/)
    await owner.click(OWN_FORM, /\/connect\/oauth2/)
  },
  throughSource: async (owner) => await owner.click('button[value=connect]', /\/connect\/done/),
}

export const uploadWalk: Walk = {
  toLogin: async (owner, link) => {
    await owner.open(link)
    await owner.click('button[value=agree]', /\/connect\/source/)
  },
  throughSource: async (owner) => {
    await owner.page.setInputFiles('input[type=file]', STATEMENT)
    await owner.click(OWN_FORM, /\/connect\/done/)
  },
}

/** Selects the first bank whose name contains `search`. */
export function plaidWalk(search: string): Walk {
  return {
    toLogin: async (owner, link) => {
      await owner.open(link)
      await owner.click('button[value=agree]', /\/connect\/institutions/)
      await owner.page.fill('#search', search)
      await owner.click('form[role=search] button', /search=/)
      await owner.click('.banks a', /\/connect\/source/)
      await owner.click(OWN_FORM, /\/hosted\//)
    },
    throughSource: async (owner) => {
      await owner.page.fill('#username', 'user_good')
      await owner.page.fill('#password', 'pass_good')
      await owner.click('form[action$="/login"] button', /\/hosted\//)
      await owner.click('form[action$="/accounts"] button', /\/hosted\//)
      await owner.click('form[action$="/finish"] button', /\/connect\/done/)
    },
  }
}
