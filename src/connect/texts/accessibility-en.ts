/** Public accessibility statement. */
export const accessibilityEn = {
  accessibility: {
    link: 'Accessibility',
    title: 'Accessibility of these pages',
    intro: 'Everybody who is asked for access to their accounts should be able to answer alone and without help.',
    promiseTitle: 'What you can count on',
    promises: [
      'Everything works with the keyboard alone, and the focus is always visible.',
      'Screen readers hear each page’s heading first; what is wrong is said in words, beside the field and at the top.',
      'Text can be enlarged to 200 percent, and the pages fit a screen of 320 pixels without scrolling sideways.',
      'Light, dark and high-contrast settings of your device are followed, and so is the wish for less motion.',
      'Nothing on these pages has to be done within seconds, and JavaScript is not needed, except in the window of some providers.',
    ],
    standardTitle: 'The standard',
    standard: 'The pages are built to the Web Content Accessibility Guidelines (WCAG) 2.2, level AA.',
    checked:
      'Each page is checked by machine in both languages and both colour schemes whenever the software changes, and walked through with the keyboard.',
    limitsTitle: 'What we know is missing',
    limits: [
      'No person who uses a screen reader every day has tested these pages for us yet; we checked what browsers pass on to screen readers.',
      'The pages of your bank or your accounting software, and windows of theirs that open here, are made by them.',
    ],
    contactTitle: 'If something does not work',
    contact: (requester: string) =>
      `Write to ${requester}. Name the page and what you use; you will be offered another way, such as sending files.`,
    contactSender:
      'Write to whoever sent you the link. Name the page and what you use; you will be offered another way, such as sending files.',
    back: 'Back to the connection',
    state: 'Written in November 2026.',
  },
}
