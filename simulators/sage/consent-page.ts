import { escapeXml } from '../kit/pages/escape-xml.ts'
import { loginLinks, pageFrame } from '../kit/pages/page-frame.ts'
import type { PageLanguage } from '../kit/pages/page-language.ts'
import { findBusiness, LOGINS, type Login } from './businesses.ts'

const TEXTS = {
  en: {
    title: 'Connect to Sage Accounting (simulated)',
    sandbox: 'Sandbox: this page stands in for Sage. No real business is connected.',
    signedInAs: 'Signed in as',
    switchTo: 'Use another sign-in:',
    heading: 'The app asks to read your Sage Accounting data',
    businesses: 'It can read every business of this sign-in:',
    none: 'This sign-in opens no business.',
    scope: 'It will read your ledger accounts and journals and cannot change anything.',
    connect: 'Allow',
    cancel: 'Deny',
    refused: 'The authorization request cannot be answered',
  },
  fr: {
    title: 'Connexion à Sage Comptabilité (simulée)',
    sandbox: 'Bac à sable : cette page tient lieu de Sage. Aucune vraie entreprise n’est connectée.',
    signedInAs: 'Session ouverte :',
    switchTo: 'Ouvrir une autre session :',
    heading: 'L’application demande à lire vos données Sage Comptabilité',
    businesses: 'Elle pourra lire toutes les entreprises de ce compte :',
    none: 'Ce compte ne donne accès à aucune entreprise.',
    scope: 'L’application lira vos comptes du grand livre et vos journaux et ne pourra rien modifier.',
    connect: 'Autoriser',
    cancel: 'Refuser',
    refused: 'La demande d’autorisation ne peut être traitée',
  },
} as const

const STYLE = `
body{margin:0;font:1rem/1.5 system-ui,sans-serif;color:#16261b;background:#f0f5f0}
main{max-width:34rem;margin:2rem auto;padding:1.5rem;background:#fff;border:1px solid #c5d3c8;border-radius:.75rem}
h1{font-size:1.4rem;line-height:1.25}
.sandbox{background:#fff4d6;border-left:.3rem solid #8a6100;padding:.5rem .75rem}
button{font:inherit;min-height:2.75rem;padding:.5rem 1.5rem;border-radius:.5rem;border:2px solid #00703c;background:#fff;color:#00562e;cursor:pointer}
button.primary{background:#00703c;color:#fff}
a{color:#00562e}
:focus-visible{outline:3px solid #1b5fb4;outline-offset:2px}
`

/** Sign-in and consent in one page. The form is posted to the page's own address with `decision` (connect or cancel). */
export function consentPage(language: PageLanguage, login: Login, query: URLSearchParams): string {
  const texts = TEXTS[language]
  const names = login.businessIds.map((id) => `<li>${escapeXml(findBusiness(id)?.name ?? id)}</li>`)
  const others = loginLinks(
    LOGINS.filter(({ key }) => key !== login.key),
    query,
  )
  return page(
    language,
    `<p class="sandbox">${texts.sandbox}</p>
<h1>${texts.heading}</h1>
<p>${texts.signedInAs} <strong>${escapeXml(login.person)}</strong> (${escapeXml(login.email)})</p>
${names.length > 0 ? `<p id="businesses">${texts.businesses}</p><ul aria-labelledby="businesses">${names.join('')}</ul>` : `<p>${texts.none}</p>`}
<p>${texts.scope}</p>
<form method="post">
<button class="primary" type="submit" name="decision" value="connect">${texts.connect}</button>
<button type="submit" name="decision" value="cancel">${texts.cancel}</button>
</form>
<p id="others">${texts.switchTo}</p><ul aria-labelledby="others">${others}</ul>`,
  )
}

/** What Sage shows instead when the app's request itself is wrong; the browser is sent nowhere. */
export function refusalPage(language: PageLanguage, reason: string): string {
  return page(language, `<h1>${TEXTS[language].refused}</h1><p lang="en">${escapeXml(reason)}</p>`)
}

function page(language: PageLanguage, content: string): string {
  return pageFrame(language, TEXTS[language].title, STYLE, content)
}
