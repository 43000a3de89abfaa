"""Speed and quality, beside what a user would pick instead; each module runs by itself."""
