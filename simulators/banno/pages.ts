import { escapeXml } from '../kit/pages/escape-xml.ts'
import { loginLinks, pageFrame } from '../kit/pages/page-frame.ts'
import { pageLanguage } from '../kit/pages/page-language.ts'
import type { Person } from './people.ts'

const TEXTS = {
  en: {
    title: 'Sign in (simulated bank)',
    sandbox: 'Sandbox: this page stands in for a bank on Banno. No real account is connected.',
    heading: 'Share your accounts',
    signedInAs: 'Signed in as',
    scopes: ['Your name', 'Your accounts and their balances', 'Details of your transactions', 'Access when you are away'],
    asks: 'The app asks to see:',
    end: 'You can end this at any time under Settings, Connected apps.',
    allow: 'Allow',
    deny: 'Deny',
    switchTo: 'Use another sign-in:',
    refused: 'The request of the app is not valid',
  },
  fr: {
    title: 'Ouverture de session (institution simulée)',
    sandbox: 'Bac à sable : cette page tient lieu d’une institution servie par Banno. Aucun vrai compte n’est relié.',
    heading: 'Partager vos comptes',
    signedInAs: 'Session ouverte :',
    scopes: ['Votre nom', 'Vos comptes et leurs soldes', 'Le détail de vos opérations', 'L’accès en votre absence'],
    asks: 'L’application demande à voir :',
    end: 'Vous pouvez y mettre fin en tout temps sous Paramètres, Applications reliées.',
    allow: 'Autoriser',
    deny: 'Refuser',
    switchTo: 'Ouvrir une autre session :',
    refused: 'La demande de l’application n’est pas valide',
  },
} as const

const STYLE = `
body{margin:0;font:1rem/1.5 system-ui,sans-serif;color:#16281f;background:#eef4ee}
main{max-width:34rem;margin:2rem auto;padding:1.5rem;background:#fff;border:1px solid #bcd0c2;border-radius:.75rem}
h1{font-size:1.4rem}.sandbox{background:#fff4d6;border-left:.3rem solid #8a6100;padding:.5rem .75rem}
button{font:inherit;min-height:2.75rem;padding:.5rem 1.5rem;border-radius:.5rem;border:2px solid #17603a;background:#fff;color:#17603a;cursor:pointer}
button.primary{background:#17603a;color:#fff}a{color:#17603a}:focus-visible{outline:3px solid #a8480f;outline-offset:2px}
`

/** Sign-in and consent in one page. Posts `decision` (allow or deny) to the page's own address. */
export function consentPage(acceptLanguage: string | undefined, person: Person, others: readonly Person[], query: URLSearchParams): string {
  const texts = TEXTS[pageLanguage(acceptLanguage)]
  const links = loginLinks(
    others.map(({ key, name }) => ({ key, person: name })),
    query,
  )
  return layout(
    acceptLanguage,
    `<p class="sandbox">${texts.sandbox}</p><h1>${texts.heading}</h1>
<p>${texts.signedInAs} <strong>${escapeXml(person.name)}</strong></p>
<p id="asks">${texts.asks}</p><ul aria-labelledby="asks">${texts.scopes.map((scope) => `<li>${scope}</li>`).join('')}</ul>
<p>${texts.end}</p>
<form method="post"><button class="primary" type="submit" name="decision" value="allow">${texts.allow}</button>
<button type="submit" name="decision" value="deny">${texts.deny}</button></form>
<p id="others">${texts.switchTo}</p><ul aria-labelledby="others">${links}</ul>`,
  )
}

/** What the bank shows when the app's request itself is wrong; the browser is sent nowhere. */
export function refusalPage(acceptLanguage: string | undefined, reason: string): string {
  return layout(acceptLanguage, `<h1>${TEXTS[pageLanguage(acceptLanguage)].refused}</h1><p lang="en">${escapeXml(reason)}</p>`)
}

function layout(acceptLanguage: string | undefined, content: string): string {
  const language = pageLanguage(acceptLanguage)
  return pageFrame(language, TEXTS[language].title, STYLE, content)
}
