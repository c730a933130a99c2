import { english } from '../../model/texts/plural.ts'

const { count } = english

/** Texts of the bank choice and of missing banks. */
export const banksEn = {
  bank: {
    title: 'Choose your bank',
    label: 'Name of your bank or credit union',
    hint: 'You can also enter its routing number.',
    search: 'Search',
    suggestions: 'Matching banks',
    popular: 'Most popular',
    all: 'All banks',
    found: (n: number) => count(n, 'bank found', 'banks found'),
    foundSome: (n: number, shown: number) => `${count(n, 'bank', 'banks')} found; the first ${shown} are listed`,
    keys: 'Use the arrow keys to choose.',
    none: (search: string) => `No banks found for “${search}”.`,
    noneNext: ['Try a shorter part of the name, such as its first word.', 'You can also search by routing number.'],
    unread: 'The list could not be loaded. Select Search.',
    emptyDirectory: (service: string) => `The list of banks is not available yet. Continue, and choose your bank in ${service}.`,
    pages: 'Pages of the list',
    earlier: 'Previous',
    later: 'Next',
    allCountries: 'Show banks from all countries',
    otherTitle: 'Not in the list?',
    missing: 'My bank is not listed',
    skip: (service: string) => `Continue and choose in ${service}`,
  },
  heldBank: {
    before: (bank: string, through: string, since: string) =>
      `You are already connected to ${bank} (${through}, since ${since}). Continue only to add accounts that are not shared yet; there is no need to share the same accounts twice.`,
    after: (bank: string, through: string, since: string) =>
      `There is another connection to ${bank} (${through}, since ${since}). If both share the same accounts, you can end either one on your own page.`,
  },
  missing: {
    title: 'Tell us about your bank',
    intro: (requester: string) => `We will pass your request on to ${requester}.`,
    name: 'Name of the bank',
    nameNeeded: 'Enter the name of your bank.',
    country: 'Country',
    countries: { CA: 'Canada', US: 'United States', other: 'Another country' },
    website: 'Website',
    send: 'Send',
    back: 'Back to the list',
    sentTitle: 'Thank you for your request',
    sentText: (bank: string, requester: string) =>
      `Your request for ${bank} was passed on to ${requester}. Nothing was connected and nothing was shared.`,
    nextTitle: 'What happens next',
    nextAnswer: (requester: string) => `${requester} will check whether your bank can be added.`,
    nextLink: (requester: string) => `If so, ${requester} will let you know, and you can open your link again or get a new one.`,
    nextOther: (service: string) => `Until then, you can check whether ${service} lists your bank under another name.`,
    uploadTitle: 'No need to wait',
    uploadText: (requester: string) =>
      `Download statements from your bank’s website and share them with ${requester} here. This works with any bank that offers statement files.`,
    upload: 'Upload statements instead',
  },
}
