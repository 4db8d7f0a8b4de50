"""Where the matter is weaker or stronger: fields that scale the strength of each link."""
