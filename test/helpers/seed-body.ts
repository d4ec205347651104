// The body of a seeding request, for tests.
/** The seeds of one user, as `seed set` accepts them. */
export const SEED = {
  environment: 'production',
  xpid: '42',
  calculated_attributes: {
    1234: [{ attribute_name: 'spent', calculation_type: 'sum', cutoff_date: '2026-01-31', seed: { value: 12.5 } }],
  },
};
