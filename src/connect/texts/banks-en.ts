import { english } from '../../model/texts/plural.ts'

const { count } = english

/** Texts of the bank choice and of missing banks. */
export const banksEn = {
  bank: {
    title: 'Choose your bank',
    label: 'Name of your bank or credit union',
    hint: 'Its routing number works too.',
    search: 'Search',
    suggestions: 'Banks that fit',
    popular: 'Chosen most often',
    all: 'All banks',
    found: (n: number) => count(n, 'bank found', 'banks found'),
    foundSome: (n: number, shown: number) => `${count(n, 'bank', 'banks')} found, the first ${shown} are listed`,
    keys: 'Choose with the arrow keys.',
    none: (search: string) => `No bank was found for “${search}”.`,
    noneNext: ['Try a shorter part of the name, such as its first word.', 'Its routing number finds it as well.'],
    unread: 'The list could not be read just now. Press Search.',
    emptyDirectory: (service: string) => `The list of banks is not here yet. Continue, and choose your bank at ${service}.`,
    pages: 'Pages of the list',
    earlier: 'Previous',
    later: 'Next',
    allCountries: 'Show the banks of all countries',
    otherTitle: 'Not in the list?',
    missing: 'My bank is missing',
    skip: (service: string) => `Continue and choose at ${service}`,
  },
  heldBank: {
    before: (bank: string, through: string, since: string) =>
      `There is a connection to ${bank} already (${through}, since ${since}). Continue only to add accounts that are not shared yet: there is no need to share the same accounts twice.`,
    after: (bank: string, through: string, since: string) =>
      `There is another connection to ${bank} (${through}, since ${since}). If both share the same accounts, you can end either of them on your own page.`,
  },
  missing: {
    title: 'Tell us about your bank',
    intro: (requester: string) => `We note your bank and pass it on to ${requester}.`,
    name: 'Name of the bank',
    nameNeeded: 'Enter the name of your bank.',
    country: 'Country',
    countries: { CA: 'Canada', US: 'United States', other: 'Another country' },
    website: 'Website',
    send: 'Send',
    back: 'Back to the list',
    sentTitle: 'Thank you, we have noted your bank',
    sentText: (bank: string, requester: string) =>
      `Your request for ${bank} was passed on to ${requester}. Nothing was connected and nothing was shared.`,
    nextTitle: 'What happens next',
    nextAnswer: (requester: string) => `${requester} sees your request and finds out whether the bank can be added.`,
    nextLink: (requester: string) => `If so, ${requester} tells you, and you open your link again or get a new one.`,
    nextOther: (service: string) => `Until then you can see whether ${service} knows your bank by another name.`,
    uploadTitle: 'No need to wait',
    uploadText: (requester: string) =>
      `Download statements from the website of your bank, and give them to ${requester} here. That works with every bank that offers files.`,
    upload: 'Upload statements instead',
  },
}
