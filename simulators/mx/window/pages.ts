import { BankWindow, type WindowForms } from '../../kit/pages/bank-window.ts'
import type { MxInstitution } from '../data/institutions.ts'
import type { WidgetSession } from '../state.ts'

const bankWindow = new BankWindow(
  { name: 'MX', background: '#fff', accent: '#0b4f6c', focus: '#a8480f' },
  {
    sandbox: { en: 'Simulated MX, made-up banks', fr: 'MX simulé, institutions fictives' },
    hint: {
      en: 'In this sandbox anything opens; the password INVALID is refused, with challenge a question is asked.',
      fr: 'Dans ce bac à sable, tout ouvre une session; le mot de passe INVALID est refusé, avec challenge une question est posée.',
    },
    code: { en: 'Answer the question', fr: 'Répondez à la question' },
    codeLabel: { en: 'What city were you born in?', fr: 'Dans quelle ville êtes-vous né(e) ?' },
    codeHint: { en: 'In this sandbox: correct.', fr: 'Dans ce bac à sable : correct.' },
    codeProblem: { en: 'That answer is not right.', fr: 'Cette réponse n’est pas la bonne.' },
    done: { en: 'Connected to {bank}', fr: 'Connecté à {bank}' },
    expired: { en: 'This address has expired', fr: 'Cette adresse est expirée' },
    expiredText: { en: 'Close this page and start again.', fr: 'Fermez cette page et recommencez.' },
  },
)

/** Forms post to the page's own address; the embedding page closes the widget. */
const FORMS: WindowForms = { open: () => '<form method="post">', search: '<form method="get" role="search">', exit: '' }

export function institutionPage({ language }: WidgetSession, wanted: string, found: readonly MxInstitution[]): string {
  const banks = found.map(({ code, name }) => ({ id: code, name }))
  return bankWindow.institutionPage(language, FORMS, { field: 'institution_code', wanted, found: banks })
}

export function loginPage({ language, problem }: WidgetSession, bank: string): string {
  return bankWindow.loginPage(language, FORMS, { bank, isWrong: problem === 'credentials' })
}

export function codePage({ language, problem }: WidgetSession): string {
  return bankWindow.codePage(language, FORMS, { isWrong: problem === 'code' })
}

/**
 * Posts a message to the embedding page, as the widget does.
 * Source: https://github.com/mxenabled/widget-post-message-definitions
 */
export function donePage({ language, userGuid, token, memberGuid }: WidgetSession, bank: string): string {
  const metadata = { user_guid: userGuid, session_guid: token, member_guid: memberGuid }
  const message = JSON.stringify({ mx: true, type: 'mx/connect/memberConnected', metadata })
  return bankWindow.page(language, bankWindow.speaker(language)('done', bank), [`<script>parent.postMessage(${message}, '*')</script>`])
}

export function expiredPage(language: 'en' | 'fr'): string {
  const say = bankWindow.speaker(language)
  return bankWindow.page(language, say('expired'), [`<p>${say('expiredText')}</p>`])
}
