import { escapeXml } from '../kit/pages/escape-xml.ts'
import { loginLinks, pageFrame } from '../kit/pages/page-frame.ts'
import type { PageLanguage } from '../kit/pages/page-language.ts'
import { COMPANIES, type Company, LOGINS, type Login } from './companies.ts'

const TEXTS = {
  en: {
    title: 'Connect to QuickBooks (simulated)',
    sandbox: 'Sandbox: this page stands in for Intuit. No real company is connected.',
    signedInAs: 'Signed in as',
    switchTo: 'Use another sign-in:',
    heading: (app: string) => `${app} asks to read your QuickBooks company`,
    choose: 'Which company do you want to connect?',
    one: 'Company to connect',
    scope: 'It will see your chart of accounts and your journal entries. You can end this at any time in QuickBooks under “My apps”.',
    connect: 'Connect',
    cancel: 'Cancel',
    refused: 'Sorry, this app did not connect',
    app: 'The app',
  },
  fr: {
    title: 'Connexion à QuickBooks (simulée)',
    sandbox: 'Bac à sable : cette page tient lieu d’Intuit. Aucune vraie entreprise n’est connectée.',
    signedInAs: 'Session ouverte :',
    switchTo: 'Ouvrir une autre session :',
    heading: (app: string) => `${app} demande à lire votre entreprise QuickBooks`,
    choose: 'Quelle entreprise voulez-vous connecter?',
    one: 'Entreprise à connecter',
    scope:
      'L’application verra votre plan comptable et vos écritures de journal. Vous pouvez y mettre fin en tout temps dans QuickBooks, sous « Mes applications ».',
    connect: 'Connecter',
    cancel: 'Annuler',
    refused: 'Désolé, la connexion n’a pas réussi',
    app: 'L’application',
  },
} as const

const STYLE = `
body{margin:0;font:1rem/1.5 system-ui,sans-serif;color:#1c2b33;background:#f2f5f4}
main{max-width:34rem;margin:2rem auto;padding:1.5rem;background:#fff;border:1px solid #c5d0cc;border-radius:.75rem}
h1{font-size:1.4rem;line-height:1.25}
.sandbox{background:#fff4d6;border-left:.3rem solid #8a6100;padding:.5rem .75rem}
fieldset{border:1px solid #8a9a94;border-radius:.5rem;margin:1rem 0;padding:.5rem 1rem}
label{display:flex;gap:.6rem;align-items:center;min-height:2.75rem}
input{width:1.25rem;height:1.25rem}
button{font:inherit;min-height:2.75rem;padding:.5rem 1.5rem;border-radius:.5rem;border:2px solid #0f6a3c;background:#fff;color:#0b5730;cursor:pointer}
button.primary{background:#0f6a3c;color:#fff}
a{color:#0b5730}
:focus-visible{outline:3px solid #1b5fb4;outline-offset:2px}
`

/** Sign-in and consent in one page. The form is posted to the page's own address with `realmId` and `decision` (connect or cancel). */
export function consentPage(language: PageLanguage, login: Login, query: URLSearchParams): string {
  const texts = TEXTS[language]
  const companies = COMPANIES.filter(({ realmId }) => login.realmIds.includes(realmId))
  const others = loginLinks(
    LOGINS.filter(({ key }) => key !== login.key),
    query,
  )
  return page(
    language,
    `<p class="sandbox">${texts.sandbox}</p>
<h1>${escapeXml(texts.heading(texts.app))}</h1>
<p>${texts.signedInAs} <strong>${escapeXml(login.person)}</strong> (${escapeXml(login.email)})</p>
<form method="post">
<fieldset><legend>${companies.length > 1 ? texts.choose : texts.one}</legend>${companies.map(toChoice).join('')}</fieldset>
<p>${texts.scope}</p>
<button class="primary" type="submit" name="decision" value="connect">${texts.connect}</button>
<button type="submit" name="decision" value="cancel">${texts.cancel}</button>
</form>
<p id="others">${texts.switchTo}</p><ul aria-labelledby="others">${others}</ul>`,
  )
}

/** What Intuit shows instead when the app's request itself is wrong; the browser is sent nowhere. */
export function refusalPage(language: PageLanguage, reason: string): string {
  return page(language, `<h1>${TEXTS[language].refused}</h1><p lang="en">${escapeXml(reason)}</p>`)
}

function toChoice(company: Company, index: number): string {
  const checked = index === 0 ? ' checked' : ''
  const place = `${company.address.City}, ${company.address.CountrySubDivisionCode}`
  return `<label><input type="radio" name="realmId" value="${company.realmId}" required${checked}> <span>${escapeXml(company.name)} – ${escapeXml(place)}</span></label>`
}

function page(language: PageLanguage, content: string): string {
  return pageFrame(language, TEXTS[language].title, STYLE, content)
}
