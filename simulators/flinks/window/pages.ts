import { BankWindow } from '../../kit/pages/bank-window.ts'
import type { Institution } from '../data/institutions.ts'
import type { Flow } from '../state.ts'

const bankWindow = new BankWindow(
  { name: 'Flinks Connect', background: '#eef4f1', accent: '#0b5d3b', focus: '#c05a00' },
  {
    sandbox: { en: 'Simulated Flinks Connect, made-up banks', fr: 'Flinks Connect simulé, banques fictives' },
    searchLabel: { en: 'Name of the bank or caisse', fr: 'Nom de la banque ou de la caisse' },
    hint: {
      en: 'In this sandbox: Greatday and Everyday. The username giant opens very many accounts, Empty opens none.',
      fr: 'Dans ce bac à sable : Greatday et Everyday. Le nom giant ouvre un très grand nombre de comptes, Empty n’en ouvre aucun.',
    },
    code: { en: 'Your bank asks a question', fr: 'Votre institution vous pose une question' },
    mend: { en: 'Answer it so that your accounts can be read again.', fr: 'Répondez-y pour que vos comptes puissent de nouveau être lus.' },
    codeLabel: { en: 'What city were you born in?', fr: 'Dans quelle ville êtes-vous né ?' },
    codeHint: { en: 'In this sandbox: Montreal.', fr: 'Dans ce bac à sable : Montréal.' },
    codeProblem: { en: 'That answer is not right.', fr: 'Cette réponse n’est pas la bonne.' },
    expired: { en: 'This page has expired', fr: 'Cette page a expiré' },
    refused: { en: 'The request of the app is not valid', fr: 'La demande de l’application n’est pas valide' },
  },
)

export function institutionPage({ language }: Flow, action: string, wanted: string, found: readonly Institution[]): string {
  const named = found.map((bank) => ({ id: bank.id, name: bank[language] }))
  return bankWindow.institutionPage(language, bankWindow.formsAt(language, action), { field: 'institutionId', wanted, found: named })
}

export function loginPage({ language, problem }: Flow, action: string, bank: string): string {
  const login = { bank, isWrong: problem === 'credentials', username: 'Greatday', password: 'Everyday' }
  return bankWindow.loginPage(language, bankWindow.formsAt(language, action), login)
}

export function codePage({ language, mending, problem }: Flow, action: string): string {
  const intro = mending === null ? '' : `<p>${bankWindow.speaker(language)('mend')}</p>`
  return bankWindow.codePage(language, bankWindow.formsAt(language, action), { intro, isWrong: problem === 'answer', value: 'Montreal' })
}

export function messagePage(language: Flow['language'], key: 'closed' | 'expired' | 'unknown' | 'refused'): string {
  return bankWindow.page(language, bankWindow.speaker(language)(key))
}
